// Follows the runs of a suite: what a command-line client started under an id of its own. Everything is read from the store, so
// that any server process can serve any client, and a client that subscribes again receives everything again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import type { Db } from '../storage/core/db.ts'
import { listArtifacts } from '../storage/results/artifacts.ts'
import { listLogChunks } from '../storage/runs/run-logs.ts'
import { listSuiteRuns, listSuiteSessions, type SuiteSession } from '../storage/runs/suite-runs.ts'
import { endMessage, logMessage, type SuiteMessage, startMessage } from './suite-messages.ts'

/** What the client has received of a session. */
interface Sent {
  /** Sequence ids of runs that have begun, with their ids at the client. */
  begun: Map<string, string | null>
  /** Ids of results. */
  ended: Set<string>
  /** The number of the last chunk of lines. */
  number: number
  isOver: boolean
}

interface Suite {
  accountId: string
  suiteId: string
}

interface Deps {
  db: Db
  clock: Clock
}

const everyMs = 500

/**
 * Batches of messages, until the signal aborts. The suite needn't exist yet: clients subscribe before they start it. Nothing is
 * read while the consumer handles a batch, so a slow client holds one batch.
 */
export async function* watchSuite(
  deps: Deps,
  suite: Suite,
  signal: AbortSignal,
): AsyncGenerator<SuiteMessage[]> {
  const sentBy = new Map<string, Sent>()
  while (!signal.aborted) {
    for (const session of await listSuiteSessions(deps.db, suite.accountId, suite.suiteId)) {
      const sent = sentBy.get(session.id) ?? { begun: new Map(), ended: new Set(), number: 0, isOver: false }
      sentBy.set(session.id, sent)
      if (!sent.isOver) yield* readNews(deps, suite, session, sent)
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

async function* readNews(
  { db, clock }: Deps,
  { accountId, suiteId }: Suite,
  session: SuiteSession,
  sent: Sent,
): AsyncGenerator<SuiteMessage[]> {
  const runs = await listSuiteRuns(db, accountId, session.id, { now: clock.now(), known: [...sent.ended] })
  const begun = runs.filter(({ sequence_id, check_run_id }) => {
    const isNew = !sent.begun.has(sequence_id)
    sent.begun.set(sequence_id, check_run_id)
    return isNew
  })
  if (begun.length > 0) yield begun.map(startMessage)
  // After the results: a run that is over stores no more lines, and clients ignore lines that follow its end.
  while (session.streamsLogs) {
    const chunks = await listLogChunks(db, accountId, session.id, sent.number)
    if (chunks.length === 0) break
    sent.number = chunks.at(-1)?.number ?? sent.number
    yield chunks.map(({ sequenceId, lines }) => {
      const check_run_id = sent.begun.get(sequenceId) ?? null
      return logMessage({ sequence_id: sequenceId, check_run_id }, lines)
    })
  }
  const ended = runs.filter(({ result_type }) => result_type !== 'PENDING')
  for (const { id } of ended) sent.ended.add(id)
  for (const run of ended) {
    const files = session.updatesSnapshots ? await listArtifacts(db, accountId, { resultId: run.id }) : []
    const snapshots = files.filter(({ name }) => name.includes('-snapshots/'))
    yield [endMessage(run, session, { suiteId, snapshots })]
  }
  // Whether the session is over was read before its results.
  sent.isOver = session.isOver
}
