// Claims of agents that wait for runs. One reading of the schedule serves all that wait at this server, so that the cost doesn't
// grow with the number of agents. It wakes as many claims as the due runs need, first the one that waits longest. None of them
// holds a connection to the database.
import { EventEmitter } from 'node:events'

/** At least that often, for runs that other servers triggered. */
const pollMs = 500
/** Runs that become due close together are sent together: a response with twenty costs hardly more than one. */
const gatherMs = 100
/** To agents that take runs ahead, runs that are due within this time are handed out together with the first one. */
export const leadMs = 1_000
/**
 * That happens at most this long before the first one is due. Each server uses another part of it, so that one server hands out the
 * runs of a queue and the others find nothing; if it has no agent for them, the next one does.
 */
const marginMs = 500

const triggered = new EventEmitter().setMaxListeners(0)

/** A run was triggered: waiting claims get it at once. */
export function wakeClaims(): void {
  triggered.emit('runs')
}

/** The runs that wait in a queue. */
export interface QueuedRuns {
  queue: string
  /** When the first one is due; milliseconds. */
  dueAt: number
  /** How many are due, or within `leadMs`; of a great many, as many as were counted. */
  due: number
}

/** The runs that a claim can take. */
export interface Capacity {
  /** By queue. */
  counts: ReadonlyMap<string, number>
  /** Those that are taken before they are due. */
  ahead: ReadonlySet<string>
}

interface Waiter {
  capacity: Capacity
  wake(): void
  fail(error: unknown): void
}

export class ClaimWaits {
  readonly #read: (queues: string[]) => Promise<QueuedRuns[]>
  readonly #now: () => number
  readonly #shareBefore: (queue: string) => number
  /** Those that wait longest first. */
  readonly #waiters = new Set<Waiter>()
  #known: { queues: ReadonlySet<string>; runs: QueuedRuns[]; readAt: number } | null = null
  #timer: NodeJS.Timeout | null = null
  #isReading = false
  #isOutdated = false
  readonly #refresh = () => this.#readSoon()

  /** `shareBefore`: the share of the servers that hand out the runs of a queue earlier than this one. */
  constructor(
    read: (queues: string[]) => Promise<QueuedRuns[]>,
    now: () => number,
    shareBefore: (queue: string) => number,
  ) {
    this.#read = read
    this.#now = now
    this.#shareBefore = shareBefore
  }

  /** False: a reading of half a second ago has found nothing that this claim could have by now. */
  mayBeDue(capacity: Capacity): boolean {
    const known = this.#known
    if (known === null || this.#isOutdated || this.#now() - known.readAt > pollMs) return true
    if (!new Set(capacity.counts.keys()).isSubsetOf(known.queues)) return true
    return known.runs.some(
      (runs) => capacity.counts.has(runs.queue) && this.#wakeAt(runs, capacity.ahead) <= this.#now(),
    )
  }

  #wakeAt({ queue, dueAt }: QueuedRuns, ahead: ReadonlySet<string>): number {
    return ahead.has(queue) ? dueAt - marginMs * (1 - this.#shareBefore(queue)) : dueAt
  }

  /** True: there are runs to claim in one of the queues. False after this time, and when aborted. Rejects if the store fails. */
  async wait(capacity: Capacity, ms: number, signal: AbortSignal): Promise<boolean> {
    if (ms <= 0 || signal.aborted) return false
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const waiter = { capacity, wake: () => resolve(true), fail: reject }
    const end = () => resolve(false)
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    this.#add(waiter)
    try {
      return await promise
    } finally {
      this.#waiters.delete(waiter)
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  }

  #add(waiter: Waiter): void {
    const isIdle = this.#timer === null && !this.#isReading
    if (isIdle) triggered.on('runs', this.#refresh)
    this.#waiters.add(waiter)
    const isKnown =
      this.#known !== null && new Set(waiter.capacity.counts.keys()).isSubsetOf(this.#known.queues)
    if (isIdle || !isKnown) this.#readSoon()
  }

  #readSoon(): void {
    this.#isOutdated = true
    if (this.#isReading) return
    clearTimeout(this.#timer ?? undefined)
    this.#timer = setTimeout(() => this.#turn(), 0)
  }

  async #turn(): Promise<void> {
    this.#timer = null
    if (this.#waiters.size === 0) {
      triggered.off('runs', this.#refresh)
      this.#known = null
      return
    }
    this.#isReading = true
    this.#isOutdated = false
    const queues = new Set(Array.from(this.#waiters, ({ capacity }) => [...capacity.counts.keys()]).flat())
    try {
      const runs = await this.#read([...queues])
      this.#known = { queues, runs, readAt: this.#now() }
      this.#wakeDue(runs)
    } catch (error) {
      // Agents then try another server.
      this.#known = null
      for (const waiter of this.#waiters) waiter.fail(error)
    }
    this.#isReading = false
    this.#timer = setTimeout(() => this.#turn(), this.#isOutdated ? 0 : this.#nextMs())
  }

  #wakeDue(runs: readonly QueuedRuns[]): void {
    if (this.#firstWakeAt(runs) > this.#now()) return
    const left = new Map(runs.map((one) => [one.queue, { ...one }]))
    for (const waiter of this.#waiters) {
      let isNeeded = false
      for (const [queue, count] of waiter.capacity.counts) {
        const runsLeft = left.get(queue)
        if (runsLeft === undefined || runsLeft.due <= 0) continue
        const earlyMs = waiter.capacity.ahead.has(queue) ? leadMs : 0
        if (runsLeft.dueAt - earlyMs > this.#now()) continue
        isNeeded = true
        runsLeft.due -= count
      }
      if (!isNeeded) continue
      this.#waiters.delete(waiter)
      waiter.wake()
    }
  }

  #firstWakeAt(runs: readonly QueuedRuns[]): number {
    const ahead = new Set(Array.from(this.#waiters, ({ capacity }) => [...capacity.ahead]).flat())
    return Math.min(...runs.map((one) => this.#wakeAt(one, ahead)))
  }

  #nextMs(): number {
    const nextAt = this.#firstWakeAt(this.#known?.runs ?? [])
    return Math.min(pollMs, Math.max(gatherMs, nextAt - this.#now()))
  }
}
