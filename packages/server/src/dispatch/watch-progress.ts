// Follows a test session: the states of its runs and the lines that agents send, until it is over.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestSessionProgress } from '@vedette/contracts'
import type { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import type { Db } from '../storage/core/db.ts'
import { listLogChunks } from '../storage/runs/run-logs.ts'
import { listRunProgress } from '../storage/runs/test-progress.ts'
import { findTestSession } from '../storage/runs/test-sessions.ts'

export interface ProgressEvent {
  event: 'progress' | 'end'
  /** The number of the last chunk of lines. */
  id: string
  data: z.output<typeof TestSessionProgress>
}

/** `after`: the id of the last event that the client received; 0: none. */
export async function* watchProgress(
  { db, clock, everyMs = 1_000 }: { db: Db; clock: Clock; everyMs?: number | undefined },
  { accountId, sessionId, after }: { accountId: string; sessionId: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<ProgressEvent> {
  const sent = new Map<string, string>()
  let number = after
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    // Before the lines: once the session is over, no more lines are stored.
    const session = await findTestSession(db, accountId, sessionId)
    if (session === null) return
    const chunks = await listLogChunks(db, accountId, sessionId, number)
    const all = await listRunProgress(db, accountId, sessionId, clock.now())
    const runs = all.filter((run) => sent.get(run.sequenceId) !== JSON.stringify(run))
    for (const run of runs) sent.set(run.sequenceId, JSON.stringify(run))
    number = chunks.at(-1)?.number ?? number
    const isOver = session.stopped_at !== null && chunks.length === 0
    if (isFirst || isOver || runs.length + chunks.length > 0) {
      const logs = chunks.map(({ sequenceId, attempt, lines }) => ({ sequenceId, attempt, lines }))
      const data = { status: session.status, stoppedAt: session.stopped_at, runs, logs }
      yield { event: isOver ? 'end' : 'progress', id: String(number), data }
    }
    if (isOver) return
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
