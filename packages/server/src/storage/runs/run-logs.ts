// Log lines of code runs in progress, for people who watch a test session. The result of a run has its whole log.
import type { LogLine } from '@vedette/contracts'
import type { z } from 'zod'
import type { Db } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

type Line = z.output<typeof LogLine>

/** Of one claim of a run, and of all runs of a session. */
const maxBytesPerLease = 500_000
const maxBytesPerSession = 20_000_000

export interface LogChunk {
  laneId: number
  leaseId: string
  /** The position of the first line in the log of this lease. */
  firstLine: number
  lines: readonly Line[]
}

/** False: the lease is over, or there are enough lines. Call it in a transaction. */
export async function insertLogChunk(
  client: Client,
  { laneId, leaseId, firstLine, lines }: LogChunk,
): Promise<boolean> {
  // Locking the session numbers its chunks in the order of their commits: a reader never misses a lower number.
  const { rows } = await client.query<{
    accountId: string
    sessionId: string
    runId: string
    attempt: number
  }>({
    name: 'lock_logged_session',
    text: `select s.account_id as "accountId", t.id as "sessionId", s.run_id as "runId", s.attempt
      from schedule s join test_sessions t on t.id = s.test_session_id
      where s.id = $1 and s.lease_id = $2 for no key update of t`,
    values: [laneId, leaseId],
  })
  const [run] = rows
  if (run === undefined) return false
  const text = JSON.stringify(lines)
  const bytes = Buffer.byteLength(text)
  const stored = await client.query({
    name: 'insert_log_chunk',
    text: `
      insert into run_log_chunks (account_id, test_session_id, number, sequence_id, attempt, lease_id, first_line, lines, bytes)
      select $1::uuid, $2::uuid, coalesce(max(number), 0) + 1, $3::uuid, $4::smallint, $5::uuid, $6::integer, $7::text, $8::integer
      from run_log_chunks where test_session_id = $2
      having coalesce(sum(bytes) filter (where lease_id = $5), 0) + $8 <= $9 and coalesce(sum(bytes), 0) + $8 <= $10
      on conflict (lease_id, first_line) do update set bytes = excluded.bytes returning number`,
    values: [
      run.accountId,
      run.sessionId,
      run.runId,
      run.attempt,
      leaseId,
      firstLine,
      text,
      bytes,
      maxBytesPerLease,
      maxBytesPerSession,
    ],
  })
  return stored.rows.length === 1
}

export interface StoredLogChunk {
  number: number
  sequenceId: string
  attempt: number
  lines: Line[]
}

const maxChunksPerRead = 50

/** The next chunks of a session, in order. */
export async function listLogChunks(
  db: Db,
  accountId: string,
  sessionId: string,
  after: number,
): Promise<StoredLogChunk[]> {
  const rows = await db
    .selectFrom('run_log_chunks')
    .select(['number', 'sequence_id', 'attempt', 'lines'])
    .where('account_id', '=', accountId)
    .where('test_session_id', '=', sessionId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(maxChunksPerRead)
    .execute()
  return rows.map(({ number, sequence_id, attempt, lines }) => ({
    number,
    sequenceId: sequence_id,
    attempt,
    lines: JSON.parse(lines),
  }))
}

/** Of sessions that ended before. */
export async function deleteOldLogChunks(client: Client, endedBefore: number): Promise<void> {
  await client.query(
    `delete from run_log_chunks c using test_sessions s
     where s.id = c.test_session_id and s.stopped_at < to_timestamp($1 / 1000.0)`,
    [endedBefore],
  )
}
