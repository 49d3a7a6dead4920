// The current runs of this agent: its free capacity, the leases to renew, and the end of every run.
import type { Job, ReportedResult } from '@vedette/contracts'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { graceMsOf, isCodeType, limitMsOf } from './run-limits.ts'

/** Always resolves; rejects only because of a bug. `waits` counts the time that the run waits for this agent. */
export type RunJob = (job: Job, signal: AbortSignal, waits?: AgentWaits) => Promise<ReportedResult>

export interface RunsInFlightOptions {
  capacity: { network: number; code: number }
  runJob: RunJob
  monotonic(): number
  /** The result of a run that didn't end by itself. */
  abandon(job: Job, startedAt: number, reason: Error): ReportedResult
  onFinish(token: string, result: ReportedResult, job: Job): void
}

/** Scripts around a request take seconds and a suite half an hour, so they don't wait for each other. */
type Kind = 'network' | 'script' | 'code'

interface Run {
  job: Job
  token: string
  kind: Kind
  controller: AbortController
  /** By the monotonic clock; null: it waits. */
  startedAt: number | null
  waits: AgentWaits
  isDone: boolean
}

export class RunsInFlight {
  readonly #options: RunsInFlightOptions
  readonly #runs = new Map<string, Run>()
  /** Runs that wait for capacity of their kind. */
  readonly #waiting = new Set<Run>()
  readonly #claimed: Record<Kind, number> = { network: 0, script: 0, code: 0 }
  readonly #running: Record<Kind, number> = { network: 0, script: 0, code: 0 }
  #listeners: (() => void)[] = []

  constructor(options: RunsInFlightOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#runs.size
  }

  free(): { network: number; code: number } {
    const { network, code } = this.#options.capacity
    return {
      network: Math.max(0, network - this.#claimed.network - this.#claimed.script),
      code: Math.max(0, code - this.#claimed.code),
    }
  }

  tokens(): string[] {
    return [...this.#runs.values()].map(({ token }) => token)
  }

  /** After `delayMs`, if it is early. */
  start(job: Job, delayMs = 0): void {
    const key = `${job.runId}/${job.attempt}`
    const known = this.#runs.get(key)
    if (known) {
      // Handed out again while it runs: it continues with the newer lease.
      known.token = job.token
      return
    }
    const kind = kindOf(job)
    const run: Run = {
      job,
      token: job.token,
      kind,
      controller: new AbortController(),
      startedAt: null,
      waits: agentWaits(() => this.#options.monotonic()),
      isDone: false,
    }
    this.#runs.set(key, run)
    this.#claimed[kind] += 1
    if (delayMs > 0) setTimeout(() => run.isDone || this.#admit(run), delayMs)
    else this.#admit(run)
  }

  #admit(run: Run): void {
    const { kind } = run
    if (kind !== 'network' && this.#running[kind] >= this.#options.capacity.code) this.#waiting.add(run)
    else this.#begin(run)
  }

  /** Absent: all. */
  cancel(runIds?: readonly string[]): void {
    if (runIds?.length === 0) return
    const wanted = runIds && new Set(runIds)
    for (const run of this.#runs.values())
      if (!wanted || wanted.has(run.job.runId)) this.#end(run, new DOMException('cancelled', 'AbortError'))
  }

  /** Ends runs that exceed their limit. Called about every second, instead of one timer per run. */
  sweep(): void {
    const now = this.#options.monotonic()
    for (const run of this.#runs.values()) {
      if (run.startedAt === null) continue
      const overMs = now - run.startedAt - run.waits.totalMs - limitMsOf(run.job)
      if (overMs > graceMsOf(run.job.checkType)) {
        this.#finish(
          run,
          this.#abandon(run, new Error("The run exceeded its time limit and couldn't be ended.")),
        )
      } else if (overMs > 0) {
        run.controller.abort(new DOMException('the run exceeded its time limit', 'TimeoutError'))
      }
    }
  }

  /** Resolves when the next run ends. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#listeners.push(resolve)
    await untilAborted(promise, signal).catch(() => undefined)
  }

  #end(run: Run, reason: DOMException): void {
    run.controller.abort(reason)
    if (run.startedAt !== null) return
    this.#waiting.delete(run)
    this.#finish(run, { ...this.#abandon(run, reason), outcome: 'cancelled' })
  }

  #begin(run: Run): void {
    run.startedAt = this.#options.monotonic()
    this.#running[run.kind] += 1
    this.#options.runJob(run.job, run.controller.signal, run.waits).then(
      (result) => this.#finish(run, result),
      (error: Error) => this.#finish(run, this.#abandon(run, error)),
    )
  }

  #beginNext(kind: Kind): void {
    if (this.#waiting.size === 0) return
    const next = this.#waiting.values().find((one) => one.kind === kind)
    if (next && this.#waiting.delete(next)) this.#begin(next)
  }

  #abandon(run: Run, reason: Error): ReportedResult {
    return this.#options.abandon(run.job, run.startedAt ?? this.#options.monotonic(), reason)
  }

  #finish(run: Run, result: ReportedResult): void {
    if (run.isDone) return
    run.isDone = true
    this.#runs.delete(`${run.job.runId}/${run.job.attempt}`)
    this.#claimed[run.kind] -= 1
    if (run.startedAt !== null) {
      this.#running[run.kind] -= 1
      this.#beginNext(run.kind)
    }
    result.token = run.token
    // The agent knows the server's clock to some milliseconds: a run doesn't seem to have begun before its time.
    result.startedAt = Math.max(result.startedAt, run.job.startAt ?? 0)
    this.#options.onFinish(run.token, result, run.job)
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

function kindOf({ checkType, setup, teardown }: Job): Kind {
  if (isCodeType(checkType)) return 'code'
  return setup.length + teardown.length > 0 ? 'script' : 'network'
}
