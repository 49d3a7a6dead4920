// What is known about the runs of a test session, from the messages of its stream.
import type { ResponseTo } from '../api/call.ts'

type Message = ResponseTo<'GET /v1/test-sessions/{testSessionId}/events'>
export type TestRun = Message['runs'][number]
type Line = Message['logs'][number]['lines'][number]

export interface TestProgress {
  /** By sequence id, in the order of the first message. */
  runs: ReadonlyMap<string, TestRun>
  /** The lines of the latest attempt, by sequence id. */
  logs: ReadonlyMap<string, { attempt: number; lines: readonly Line[] }>
}

export const noProgress: TestProgress = { runs: new Map(), logs: new Map() }

/** Beyond this many lines of a run, the first ones are dropped: the result has the whole log. */
const maxLines = 2_000

export function addProgress({ runs, logs }: TestProgress, message: Message): TestProgress {
  const nextRuns = new Map(runs)
  for (const run of message.runs) nextRuns.set(run.sequenceId, run)
  const nextLogs = new Map(logs)
  for (const { sequenceId, attempt, lines } of message.logs) {
    const known = nextLogs.get(sequenceId)
    const before = known?.attempt === attempt ? known.lines : []
    nextLogs.set(sequenceId, { attempt, lines: [...before, ...lines].slice(-maxLines) })
  }
  return { runs: nextRuns, logs: nextLogs }
}
