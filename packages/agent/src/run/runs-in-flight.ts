// The runs of this agent: how many more there is room for, which leases to renew, and an end to each, come what may.
import type { Job, ReportedResult } from '@vedette/contracts'
import { type AgentWaits, agentWaits } from '../core/agent-waits.ts'
import { graceMsOf, isCodeType, limitMsOf } from './run-limits.ts'

/** Resolves, whatever happens to the run; rejects only by a bug. `waits`: what the run waits for this agent. */
export type RunJob = (job: Job, signal: AbortSignal, waits?: AgentWaits) => Promise<ReportedResult>

export interface RunsInFlightOptions {
  capacity: { network: number; code: number }
  runJob: RunJob
  monotonic(): number
  /** How a run ends that did not end by itself. */
  abandoned(job: Job, startedAt: number, reason: Error): ReportedResult
  finished(token: string, result: ReportedResult, job: Job): void
}

/** Scripts around a request take seconds, a suite half an hour: the ones never wait for the other. */
type Kind = 'network' | 'script' | 'code'

interface Run {
  job: Job
  token: string
  kind: Kind
  controller: AbortController
  /** By the monotonic clock; null: it waits for its turn. */
  startedAt: number | null
  waits: AgentWaits
  isDone: boolean
}

export class RunsInFlight {
  readonly #options: RunsInFlightOptions
  readonly #runs = new Map<string, Run>()
  /** Runs that wait for one of the places of their kind. */
  #waiting: Run[] = []
  readonly #claimed: Record<Kind, number> = { network: 0, script: 0, code: 0 }
  readonly #running: Record<Kind, number> = { network: 0, script: 0, code: 0 }
  #listeners: (() => void)[] = []

  constructor(options: RunsInFlightOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#runs.size
  }

  get codeSlots(): number {
    return this.#options.capacity.code
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

  start(job: Job): void {
    const key = `${job.runId}/${job.attempt}`
    const known = this.#runs.get(key)
    if (known) {
      // Handed out anew while we still run it: once is enough, and the newer lease is the one that holds.
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
    if (kind !== 'network' && this.#running[kind] >= this.#options.capacity.code) this.#waiting.push(run)
    else this.#begin(run)
  }

  cancel(runIds: readonly string[]): void {
    if (runIds.length === 0) return
    const wanted = new Set(runIds)
    for (const run of this.#runs.values()) {
      if (wanted.has(run.job.runId)) this.#end(run, new DOMException('cancelled', 'AbortError'))
    }
  }

  cancelAll(): void {
    for (const run of this.#runs.values()) this.#end(run, new DOMException('cancelled', 'AbortError'))
  }

  /** To be called every second or so: one look at all runs instead of a timer for each. */
  sweep(): void {
    const now = this.#options.monotonic()
    for (const run of this.#runs.values()) {
      if (run.startedAt === null) continue
      const overMs = now - run.startedAt - run.waits.totalMs - limitMsOf(run.job)
      if (overMs > graceMsOf(run.job.checkType)) {
        this.#finish(run, this.#abandon(run, new Error("The run outlived its limit and couldn't be ended.")))
      } else if (overMs > 0) {
        run.controller.abort(new DOMException('the run outlived its limit', 'TimeoutError'))
      }
    }
  }

  /** Resolves at the next change of what runs. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', done, { once: true })
      this.#listeners.push(done)
    })
  }

  #end(run: Run, reason: DOMException): void {
    run.controller.abort(reason)
    if (run.startedAt !== null) return
    this.#waiting = this.#waiting.filter((one) => one !== run)
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

  #abandon(run: Run, reason: Error): ReportedResult {
    return this.#options.abandoned(run.job, run.startedAt ?? this.#options.monotonic(), reason)
  }

  #finish(run: Run, result: ReportedResult): void {
    if (run.isDone) return
    run.isDone = true
    this.#runs.delete(`${run.job.runId}/${run.job.attempt}`)
    this.#claimed[run.kind] -= 1
    if (run.startedAt !== null) {
      this.#running[run.kind] -= 1
      const next = this.#waiting.find(({ kind }) => kind === run.kind)
      this.#waiting = this.#waiting.filter((one) => one !== next)
      if (next) this.#begin(next)
    }
    result.token = run.token
    this.#options.finished(run.token, result, run.job)
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

function kindOf({ checkType, setup, teardown }: Job): Kind {
  if (isCodeType(checkType)) return 'code'
  return setup.length + teardown.length > 0 ? 'script' : 'network'
}
