// Sends results to the server in batches, each until it is acknowledged. Small results have a sender of their own, so
// that they never wait for large ones; large ones of several accounts take turns.
// Order between senders isn't needed: a check's next run is handed out only once the result of the one before it is
// settled, and a result that comes late is judged by its lease.
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../core/backoff.ts'
import { FairQueue } from '../core/fair-queue.ts'
import type { Log } from '../core/log.ts'
import { maxResultsPerReport } from './protocol.ts'
import type { ServerClient } from './server-client.ts'
import { ServerError } from './server-exchange.ts'

export interface Deliverable {
  owner: string
  /** Characters of its text. */
  size: number
}

export interface DeliveryOptions<Item> {
  agentId: string
  client: ServerClient
  log: Log
  /** An error of our own that someone should see. */
  report(message: string): void
  signal: AbortSignal
  read(item: Item): Promise<string>
  /** The server has these, or will never take them. */
  settled(items: readonly Item[]): Promise<void>
}

export interface Delivery<Item> {
  push(items: readonly Item[]): void
  /** Once aborted: resolves when nothing is under way any more. */
  ended(): Promise<void>
}

/** A usual result has about 2,000 characters; one with a body that was stored whole has up to ten times as many as this. */
const maxSmallChars = 32_000
const smallBatchChars = 4_000_000
/** A server handles one batch at a time per sender: large ones are kept short. */
const largeBatchChars = 1_000_000
const largeSenders = 2
const sendTimeoutMs = 15_000

export function deliverResults<Item extends Deliverable>(options: DeliveryOptions<Item>): Delivery<Item> {
  const small = new FairQueue<Item>()
  const large = new FairQueue<Item>()
  const smallSender = new BatchSender(small, smallBatchChars, options)
  const senders = Array.from({ length: largeSenders }, () => new BatchSender(large, largeBatchChars, options))
  return {
    push(items) {
      for (const item of items) (item.size <= maxSmallChars ? small : large).push(item.owner, item)
      for (const sender of [smallSender, ...senders]) sender.start()
    },
    async ended() {
      await Promise.all([smallSender, ...senders].map((sender) => sender.ended()))
    },
  }
}

class BatchSender<Item extends Deliverable> {
  readonly #queue: FairQueue<Item>
  readonly #maxChars: number
  readonly #options: DeliveryOptions<Item>
  /** Taken from the queue, not settled yet. */
  #front: Item[] = []
  #batchLimit = maxResultsPerReport
  #sending: Promise<void> | null = null

  constructor(queue: FairQueue<Item>, maxChars: number, options: DeliveryOptions<Item>) {
    this.#queue = queue
    this.#maxChars = maxChars
    this.#options = options
  }

  start(): void {
    if (this.#sending || this.#options.signal.aborted || !this.#hasMore()) return
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null
      this.start()
    })
  }

  async ended(): Promise<void> {
    await this.#sending
  }

  #hasMore = () => this.#front.length + this.#queue.size > 0

  async #sendAll(): Promise<void> {
    const backoff = createBackoff()
    const { signal, log } = this.#options
    while (this.#hasMore() && !signal.aborted) {
      try {
        await this.#sendBatch(signal)
        backoff.reset()
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ServerError)) log.error({ err: error as Error }, 'outbox.failed')
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #sendBatch(signal: AbortSignal): Promise<void> {
    const { client, agentId, log, report, read, settled } = this.#options
    const items = this.#nextBatch()
    const texts: string[] = []
    // One after the other: each may take a thread of the pool.
    for (const item of items) texts.push(await read(item))
    const body = `{"agentId":"${agentId}","results":[${texts.join(',')}]}`
    try {
      const { answers } = await client.call('results', body, { timeoutMs: sendTimeoutMs, signal })
      if (answers?.length !== items.length) throw new ServerError('the answer fits no result', 502)
      const refused = answers.filter(({ accepted }) => !accepted)
      if (refused.length > 0)
        log.warn({ count: refused.length, reason: refused[0]?.reason }, 'results.refused')
      this.#batchLimit = maxResultsPerReport
    } catch (error) {
      if (!(error instanceof ServerError && error.isRefusal)) throw error
      // One result that can't be taken must not hold up the others: it is found by halving, and given up.
      this.#batchLimit = Math.max(1, Math.floor(items.length / 2))
      if (items.length > 1) return
      log.error({ err: error }, 'result.given-up')
      report(`a result was refused for good: ${error.message}`)
    }
    this.#front = this.#front.slice(items.length)
    await settled(items)
  }

  #nextBatch(): Item[] {
    const items: Item[] = []
    let chars = 0
    while (items.length < this.#batchLimit) {
      const next = this.#front[items.length] ?? this.#takeNext()
      if (!next || (items.length > 0 && chars + next.size > this.#maxChars)) break
      chars += next.size
      items.push(next)
    }
    return items
  }

  #takeNext(): Item | undefined {
    const next = this.#queue.take()
    if (next) this.#front.push(next)
    return next
  }
}
