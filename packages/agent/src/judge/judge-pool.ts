// Threads that evaluate assertions with a time limit. A thread that exceeds it is terminated and replaced. Accounts take turns,
// and large tasks leave one thread to small ones.
import { Worker } from 'node:worker_threads'
import type { Subject } from '@vedette/contracts'
import { FairQueue } from '../core/fair-queue.ts'
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

const idleMs = 60_000

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
  #idle: { worker: Worker; timer: NodeJS.Timeout }[] = []
  #busy = 0
  #busyWithLarge = 0
  readonly #small = new FairQueue<Waiting>()
  readonly #large = new FairQueue<Waiting>()

  constructor(size: number, limitMs: number) {
    this.#size = size
    this.#limitMs = limitMs
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
    const worker = this.#take()
    // Filled, since indexOf() skips holes.
    const results = new Array<AssertionResult | undefined>(task.assertions.length).fill(undefined)
    const problem = await this.#ask(worker, task, results)
    if (problem === null) this.#putBack(worker)
    else worker.terminate()
    settle(
      task.assertions.map(
        (assertion, order) => results[order] ?? unevaluated(assertion, order, results, problem),
      ),
    )
  }

  /** Resolves to the reason if it didn't finish; null: it did. */
  #ask(worker: Worker, task: JudgeTask, results: (AssertionResult | undefined)[]): Promise<string | null> {
    return new Promise((resolve) => {
      const seconds = this.#limitMs / 1000
      const timer = setTimeout(
        () => done(`The assertion took longer than ${seconds} s to evaluate.`),
        this.#limitMs,
      )
      const onMessage = ({ order, result }: JudgeMessage) => {
        results[order] = result
        if (order === task.assertions.length - 1) done(null)
      }
      const onError = (error: Error) => done(`The assertion couldn't be evaluated: ${error.message}.`)
      function done(problem: string | null) {
        clearTimeout(timer)
        worker.off('message', onMessage).off('error', onError)
        resolve(problem)
      }
      worker.on('message', onMessage).on('error', onError)
      try {
        worker.postMessage(task, undecodedBytes(task.subjects))
      } catch {
        // Documents that nest too deeply can't be cloned for a thread.
        for (const result of evaluateAssertions(task.assertions, decodeSubjects(task.subjects)))
          results[result.order] = result
        done(null)
      }
    })
  }

  #take(): Worker {
    const idle = this.#idle.pop()
    if (!idle) return startWorker()
    clearTimeout(idle.timer)
    return idle.worker
  }

  #putBack(worker: Worker): void {
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((idle) => idle.worker !== worker)
      worker.terminate()
    }, idleMs).unref()
    this.#idle.push({ worker, timer })
  }
}

function startWorker(): Worker {
  // Has the same extension as this file, which differs once it is compiled.
  const worker = new Worker(new URL(import.meta.url.replace(/judge-pool(\.\w+)$/, 'judge-worker$1')), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  // An error without a listener would end the process.
  worker.on('error', () => undefined)
  return worker
}

function unevaluated(
  assertion: Assertion,
  order: number,
  results: readonly (AssertionResult | undefined)[],
  problem: string | null,
): AssertionResult {
  const isFirst = results.indexOf(undefined) === order
  const error = isFirst ? `${problem}` : "The assertion wasn't evaluated, because one before it couldn't be."
  return { ...assertion, order, error }
}
