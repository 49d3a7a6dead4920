// On-demand runs in the queue: lanes that are deleted when the run is over or timed out.
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'

/** Timeout of an on-demand run that isn't claimed. */
const giveUpAfterMs = 360_000

/** Timeout of a run that waits for another session. */
const longestTurnMs = 86_400_000

export interface SessionRun {
  accountId: string
  /** Null: it runs a draft. */
  checkId: string | null
  draftId: string | null
  sessionId: string
  kind: 'check' | 'test'
  /** Distinguishes the runs of one check in one session: a location, or a sequence id. */
  part: string
  location: string
  queue: string
  /** When the session was requested. */
  askedAt: number
  /** It becomes due when another session is over. */
  isWaiting: boolean
}

function laneName(kind: 'check' | 'test', sessionId: string, part: string): string {
  return `${kind}:${sessionId}:${part}`
}

const run = columnKinds<SessionRun>()
const location = run.text((row) => row.location)
const queue = run.text((row) => row.queue)

const insertRuns = insertMany('insert_session_runs', 'schedule', {
  account_id: run.uuid((row) => row.accountId),
  check_id: run.uuid((row) => row.checkId),
  draft_id: run.uuid((row) => row.draftId),
  lane: run.text(({ kind, sessionId, part }) => laneName(kind, sessionId, part)),
  location,
  queue,
  locations: { ...location, sql: (element) => `array[${element}]`, value: [''] },
  queues: { ...queue, sql: (element) => `array[${element}]`, value: [''] },
  slot_at: run.instant((row) => row.askedAt),
  due_at: run.instant(({ askedAt, isWaiting }) => askedAt + (isWaiting ? longestTurnMs : 0)),
  give_up_at: run.instant(({ askedAt, isWaiting }) => askedAt + (isWaiting ? longestTurnMs : giveUpAfterMs)),
  check_session_id: run.uuid(({ kind, sessionId }) => (kind === 'check' ? sessionId : null)),
  test_session_id: run.uuid(({ kind, sessionId }) => (kind === 'test' ? sessionId : null)),
})

export async function insertSessionRuns(client: Client, runs: readonly SessionRun[]): Promise<void> {
  await insertRuns(client, runs)
}

/** Makes the waiting runs of a session due. */
export async function releaseSessionRuns(client: Client, checkSessionId: string, now: number): Promise<void> {
  await client.query({
    name: 'release_session_runs',
    text: `update schedule set due_at = to_timestamp($2 / 1000.0), give_up_at = to_timestamp($3 / 1000.0)
      where check_session_id = $1 and run_id is null`,
    values: [checkSessionId, now, now + giveUpAfterMs],
  })
}

/** Deletes runs, claimed or not. In the order of ids, like all transactions that lock lanes. */
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

/** Deletes the runs of test sessions that wait in these queues. */
export async function deleteTestRunsIn(client: Client, queues: readonly string[]): Promise<void> {
  await client.query(
    `delete from schedule where id in (
      select id from schedule where queue = any($1::text[]) and test_session_id is not null order by id for update)`,
    [queues],
  )
}
