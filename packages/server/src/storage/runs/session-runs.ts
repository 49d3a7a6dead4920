// On-demand runs in the queue: one-shot lanes, gone when the run is over or nobody took it in time.
import type { Client } from '../core/transaction.ts'

/** An on-demand run that nobody took after that long has timed out. */
const giveUpAfterMs = 360_000

/** A run that waits for its turn is not due; should its turn never come, it ends after that long. */
const longestTurnMs = 86_400_000

export interface SessionRun {
  accountId: string
  checkId: string
  sessionId: string
  kind: 'check' | 'test'
  /** Distinguishes the runs of one check in one session: a location, or a sequence id. */
  part: string
  location: string
  queue: string
  /** When the session was asked for. */
  askedAt: number
  /** It becomes due when another session is over. */
  isWaiting: boolean
}

function laneName(kind: 'check' | 'test', sessionId: string, part: string): string {
  return `${kind}:${sessionId}:${part}`
}

const insertText = `
  insert into schedule (account_id, check_id, lane, locations, queues, slot_at, location, queue, due_at,
    check_session_id, test_session_id, give_up_at)
  select account_id, check_id, lane, array[location], array[queue], to_timestamp(asked_at / 1000.0), location, queue,
    to_timestamp(due_at / 1000.0), check_session_id, test_session_id, to_timestamp(give_up_at / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[], $8::float8[],
    $9::uuid[], $10::uuid[]) as
    r (account_id, check_id, lane, location, queue, asked_at, due_at, give_up_at, check_session_id, test_session_id)`

export async function insertSessionRuns(client: Client, runs: readonly SessionRun[]): Promise<void> {
  if (runs.length === 0) return
  const column = <T>(pick: (run: SessionRun) => T) => runs.map(pick)
  const values = [
    column(({ accountId }) => accountId),
    column(({ checkId }) => checkId),
    column(({ kind, sessionId, part }) => laneName(kind, sessionId, part)),
    column(({ location }) => location),
    column(({ queue }) => queue),
    column(({ askedAt }) => askedAt),
    column(({ askedAt, isWaiting }) => askedAt + (isWaiting ? longestTurnMs : 0)),
    column(({ askedAt, isWaiting }) => askedAt + (isWaiting ? longestTurnMs : giveUpAfterMs)),
    column(({ kind, sessionId }) => (kind === 'check' ? sessionId : null)),
    column(({ kind, sessionId }) => (kind === 'test' ? sessionId : null)),
  ]
  await client.query({ name: 'insert_session_runs', text: insertText, values })
}

/** Their turn has come. */
export async function releaseSessionRuns(client: Client, checkSessionId: string, now: number): Promise<void> {
  await client.query({
    name: 'release_session_runs',
    text: `update schedule set due_at = to_timestamp($2 / 1000.0), give_up_at = to_timestamp($3 / 1000.0)
      where check_session_id = $1 and run_id is null`,
    values: [checkSessionId, now, now + giveUpAfterMs],
  })
}

/** Whether an agent has them or not. In the order of their ids, as every other transaction locks lanes. */
export async function deleteSessionRuns(
  client: Client,
  kind: 'check' | 'test',
  sessionId: string,
  parts: readonly string[],
): Promise<void> {
  const column = kind === 'check' ? 'check_session_id' : 'test_session_id'
  const lanes = parts.map((part) => laneName(kind, sessionId, part))
  await client.query({
    text: `delete from schedule where id in (
      select id from schedule where ${column} = $1 and lane = any($2::text[]) order by id for update)`,
    values: [sessionId, lanes],
  })
}
