// Threads that evaluate assertions with a time limit. A thread that exceeds it is terminated and replaced. Accounts take turns,
// and large tasks leave one thread to small ones.
import type { Subject } from '@vedette/contracts'
import { FairQueue } from '../core/fair-queue.ts'
import { Threads } from '../core/threads.ts'
import type { Assertion } from './assertion-values.ts'
import { type AssertionResult, evaluateAssertions } from './assertions.ts'
import { decodeSubjects, undecodedBytes } from './undecoded.ts'

export interface JudgeTask {
  assertions: readonly Assertion[]
  subjects: Readonly<Record<string, Subject>>
}

/** Posted per assertion, so that the results before a slow one aren't lost. */
export interface JudgeMessage {
  order: number
  result: AssertionResult
}

interface JudgeTurn {
  /** The account of the task. */
  owner: string
  /** Large tasks leave one thread free. */
  isLarge: boolean
  /** Called when the task starts. */
  onBegin?(): void
}

/** Evaluates the assertions of a task on one of `size` threads. */
export function judgePool(size: number, limitMs: number) {
  const settings = { module: import.meta.url, program: 'judge-worker', memoryMb: 512, limitMs }
  const threads = new Threads<JudgeTask, JudgeMessage>(settings)
  const small = new FairQueue<() => Promise<void>>()
  const large = new FairQueue<() => Promise<void>>()
  let busy = 0
  let busyWithLarge = 0

  async function startNext(): Promise<void> {
    if (busy >= size) return
    const startLarge = busyWithLarge < Math.max(1, size - 1) ? large.take() : undefined
    const start = startLarge ?? small.take()
    if (!start) return
    const largeCount = startLarge ? 1 : 0
    busy += 1
    busyWithLarge += largeCount
    try {
      await start()
    } finally {
      busy -= 1
      busyWithLarge -= largeCount
      startNext()
    }
  }

  async function evaluate(task: JudgeTask): Promise<AssertionResult[]> {
    // Filled, since indexOf() skips holes.
    const results = new Array<AssertionResult | undefined>(task.assertions.length).fill(undefined)
    const receive = ({ order, result }: JudgeMessage) => {
      results[order] = result
      return order === task.assertions.length - 1
    }
    // Documents that nest too deeply can't be cloned for a thread.
    const problem = await threads.run(task, receive, undecodedBytes(task.subjects)).catch(() => {
      results.splice(0, results.length, ...evaluateAssertions(task.assertions, decodeSubjects(task.subjects)))
      return null
    })
    const why = problem?.error
      ? `The assertion couldn't be evaluated: ${problem.error.message}.`
      : `The assertion took longer than ${limitMs / 1000} s to evaluate.`
    return task.assertions.map(
      (assertion, order) => results[order] ?? unevaluated(assertion, order, results, why),
    )
  }

  return (task: JudgeTask, { owner, isLarge, onBegin }: JudgeTurn): Promise<AssertionResult[]> =>
    new Promise((settle) => {
      const queue = isLarge ? large : small
      queue.push(owner, async () => {
        onBegin?.()
        settle(await evaluate(task))
      })
      startNext()
    })
}

function unevaluated(
  assertion: Assertion,
  order: number,
  results: readonly (AssertionResult | undefined)[],
  problem: string,
): AssertionResult {
  const isFirst = results.indexOf(undefined) === order
  const error = isFirst ? problem : "The assertion wasn't evaluated, because one before it couldn't be."
  return { ...assertion, order, error }
}
