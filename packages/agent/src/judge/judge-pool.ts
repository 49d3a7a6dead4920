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

interface Waiting {
  begin(): JudgeTask
  isLarge: boolean
  settle(results: AssertionResult[]): void
}

export interface JudgeTurn {
  /** The account of the task. */
  owner: string
  /** Large tasks leave one thread free. */
  isLarge: boolean
  /** Called when the task starts. */
  onBegin?(): void
}

export class JudgePool {
  readonly #size: number
  readonly #limitMs: number
  readonly #threads: Threads<JudgeTask, JudgeMessage>
  #busy = 0
  #busyWithLarge = 0
  readonly #small = new FairQueue<Waiting>()
  readonly #large = new FairQueue<Waiting>()

  constructor(size: number, limitMs: number) {
    this.#size = size
    this.#limitMs = limitMs
    this.#threads = new Threads({ module: import.meta.url, program: 'judge-worker', memoryMb: 512, limitMs })
  }

  judge(task: JudgeTask, { owner, isLarge, onBegin }: JudgeTurn): Promise<AssertionResult[]> {
    return new Promise((settle) => {
      const begin = () => {
        onBegin?.()
        return task
      }
      const queue = isLarge ? this.#large : this.#small
      queue.push(owner, { begin, isLarge, settle })
      this.#next()
    })
  }

  #next(): void {
    if (this.#busy >= this.#size) return
    const isLargeNext = this.#busyWithLarge < Math.max(1, this.#size - 1)
    const waiting = (isLargeNext ? this.#large.take() : undefined) ?? this.#small.take()
    if (!waiting) return
    const large = waiting.isLarge ? 1 : 0
    this.#busy += 1
    this.#busyWithLarge += large
    this.#run(waiting).finally(() => {
      this.#busy -= 1
      this.#busyWithLarge -= large
      this.#next()
    })
  }

  async #run({ begin, settle }: Waiting): Promise<void> {
    const task = begin()
    // Filled, since indexOf() skips holes.
    const results = new Array<AssertionResult | undefined>(task.assertions.length).fill(undefined)
    const receive = ({ order, result }: JudgeMessage) => {
      results[order] = result
      return order === task.assertions.length - 1
    }
    // Documents that nest too deeply can't be cloned for a thread.
    const problem = await this.#threads.run(task, receive, undecodedBytes(task.subjects)).catch(() => {
      results.splice(0, results.length, ...evaluateAssertions(task.assertions, decodeSubjects(task.subjects)))
      return null
    })
    const why = problem?.error
      ? `The assertion couldn't be evaluated: ${problem.error.message}.`
      : `The assertion took longer than ${this.#limitMs / 1000} s to evaluate.`
    settle(
      task.assertions.map(
        (assertion, order) => results[order] ?? unevaluated(assertion, order, results, why),
      ),
    )
  }
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
