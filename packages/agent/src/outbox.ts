// Results on their way: collected for a moment, journaled, sent in batches until the server has acknowledged each.
// While the journal can't be written they go out from memory, and `trouble` keeps the agent from claiming more.
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from './backoff.ts'
import type { Journal, Place } from './journal.ts'
import type { Log } from './log.ts'
import { maxResultsPerReport } from './protocol.ts'
import type { ServerClient } from './server-client.ts'
import { ServerError } from './server-exchange.ts'

export interface Outbox {
  /** `text`: the JSON of a ReportedResult. */
  push(token: string, text: string): void
  /** Leases of results that the server does not have yet. */
  tokens(): string[]
  /** Results that the server does not have yet. */
  readonly size: number
  /** Why results can't be journaled; null: they can. */
  readonly trouble: Error | null
  /** Resolves when the server has everything, or when the time is up. */
  emptied(patienceMs: number): Promise<void>
  close(): Promise<void>
}

export interface OutboxOptions {
  agentId: string
  client: ServerClient
  journal: Journal
  log: Log
  /** An error of our own that someone should see. */
  report(message: string): void
  collectMs?: number
  retryJournalMs?: number
  memoryBytes?: number
}

interface Item {
  token: string
  /** Null: to be read from the journal. */
  text: string | null
  place: Place | null
  /** Counted in the memory for texts. */
  isHeld: boolean
  isSettled: boolean
}

const collectAtMost = 100
const sendTimeoutMs = 15_000
const maxBatchChars = 4_000_000
const roomCheckMs = 10_000

export function createOutbox(options: OutboxOptions): Outbox {
  return new ResultOutbox(options)
}

function itemOf(token: string, text: string | null, place: Place | null): Item {
  return { token, text, place, isHeld: false, isSettled: false }
}

class ResultOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>
  readonly #closing = new AbortController()
  #collected: Item[] = []
  #queue: Item[] = []
  #heldChars = 0
  #collectTimer: NodeJS.Timeout | null = null
  #lastFlushAt = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()
  #isFlushQueued = false
  #sending: Promise<void> | null = null
  #batchLimit = maxResultsPerReport
  #trouble: Error | null = null
  #watch: NodeJS.Timeout
  #onEmpty: (() => void)[] = []

  constructor(options: OutboxOptions) {
    this.#options = { collectMs: 100, retryJournalMs: 1_000, memoryBytes: 32_000_000, ...options }
    this.#queue = options.journal.left.map(({ place, token }) => itemOf(token, null, place))
    this.#watch = setInterval(() => this.#watchJournal(), roomCheckMs)
    this.#send()
  }

  get size(): number {
    return this.#collected.length + this.#queue.length
  }

  get trouble(): Error | null {
    return this.#trouble
  }

  tokens(): string[] {
    return [...this.#collected, ...this.#queue].map(({ token }) => token)
  }

  push(token: string, text: string): void {
    this.#collected.push(itemOf(token, text, null))
    if (this.#collected.length >= collectAtMost) {
      this.#flush()
      return
    }
    if (this.#collectTimer) return
    const waitMs = this.#lastFlushAt + this.#options.collectMs - performance.now()
    this.#collectTimer = setTimeout(() => this.#flush(), Math.max(0, waitMs))
  }

  async emptied(patienceMs: number): Promise<void> {
    this.#flush()
    await this.#flushing
    if (this.size === 0) return
    const patience = new AbortController()
    await Promise.race([
      new Promise<void>((resolve) => this.#onEmpty.push(resolve)),
      sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ])
    patience.abort()
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    this.#flush()
    await this.#flushing
    this.#closing.abort()
    await this.#sending
  }

  #flush(): void {
    if (this.#collectTimer) clearTimeout(this.#collectTimer)
    this.#collectTimer = null
    if (this.#collected.length === 0 || this.#isFlushQueued) return
    this.#isFlushQueued = true
    this.#lastFlushAt = performance.now()
    this.#flushing = this.#flushing.then(() => this.#journalCollected())
  }

  async #journalCollected(): Promise<void> {
    this.#isFlushQueued = false
    const items = [...this.#collected]
    await this.#journal(items)
    // Only these move on: more may have come meanwhile.
    this.#collected = this.#collected.slice(items.length)
    this.#queue.push(...items)
    this.#send()
  }

  async #journal(items: Item[]): Promise<boolean> {
    try {
      const places = await this.#options.journal.append(items.map(({ text }) => text ?? ''))
      for (const [index, item] of items.entries()) {
        item.place = places[index] ?? null
        this.#hold(item)
      }
      // The server may have had some before the disk did.
      await this.#options.journal.acknowledge(
        items.flatMap(({ isSettled, place }) => (isSettled && place) || []),
      )
      return true
    } catch (error) {
      this.#failed(error as Error)
      return false
    }
  }

  /** Beyond the memory for it, a text is read from the disk again when its turn comes. */
  #hold(item: Item): void {
    if (item.text === null || item.isSettled) return
    item.isHeld = this.#heldChars + item.text.length <= this.#options.memoryBytes
    if (item.isHeld) this.#heldChars += item.text.length
    else item.text = null
  }

  #failed(error: Error): void {
    if (this.#trouble === null) {
      const hint = 'no runs are claimed until they can: free the disk or set AGENT_DATA_DIR'
      this.#options.log.error({ err: error, hint }, 'journal.failed')
      this.#options.report(`results can't be journaled: ${error.message}`)
    }
    this.#trouble = error
    this.#watchAgain(this.#options.retryJournalMs)
  }

  #recovered(): void {
    if (this.#trouble === null) return
    this.#trouble = null
    this.#options.log.info({}, 'journal.recovered')
    this.#watchAgain(roomCheckMs)
  }

  #watchAgain(everyMs: number): void {
    clearInterval(this.#watch)
    if (!this.#closing.signal.aborted) this.#watch = setInterval(() => this.#watchJournal(), everyMs)
  }

  #watchJournal(): void {
    this.#flushing = this.#flushing.then(async () => {
      const { journal } = this.#options
      try {
        await journal.checkRoom()
        if (this.#trouble === null) return
        await journal.probe()
      } catch (error) {
        return this.#failed(error as Error)
      }
      const unwritten = this.#queue.filter(({ place }) => place === null)
      if (unwritten.length > 0 && !(await this.#journal(unwritten))) return
      this.#recovered()
    })
  }

  #send(): void {
    if (this.#sending || this.#closing.signal.aborted) return
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null
      if (this.#queue.length > 0) this.#send()
    })
  }

  async #sendAll(): Promise<void> {
    const backoff = createBackoff()
    const { signal } = this.#closing
    while (this.#queue.length > 0 && !signal.aborted) {
      try {
        await this.#sendBatch(signal)
        backoff.reset()
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ServerError)) this.#options.log.error({ err: error as Error }, 'outbox.failed')
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #sendBatch(signal: AbortSignal): Promise<void> {
    const { client, agentId, log, report } = this.#options
    const { items, texts } = await this.#nextBatch()
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
    await this.#settled(items)
  }

  async #nextBatch(): Promise<{ items: Item[]; texts: string[] }> {
    const items: Item[] = []
    const texts: string[] = []
    let chars = 0
    for (const item of this.#queue) {
      const text = item.text ?? (await this.#readBack(item))
      chars += text.length
      if (items.length > 0 && (chars > maxBatchChars || items.length >= this.#batchLimit)) break
      items.push(item)
      texts.push(text)
    }
    return { items, texts }
  }

  /** What the disk lost can't be sent; an empty text is refused, and so given up like any other. */
  async #readBack({ place }: Item): Promise<string> {
    try {
      return place ? await this.#options.journal.read(place) : '{}'
    } catch (error) {
      this.#options.log.error({ err: error as Error }, 'journal.unreadable')
      return '{}'
    }
  }

  async #settled(items: Item[]): Promise<void> {
    // Batches are taken from the front, and only from there.
    this.#queue = this.#queue.slice(items.length)
    for (const item of items) {
      item.isSettled = true
      if (item.isHeld) this.#heldChars -= item.text?.length ?? 0
    }
    await this.#options.journal.acknowledge(items.flatMap(({ place }) => place ?? []))
    if (this.size > 0) return
    for (const done of this.#onEmpty.splice(0)) done()
  }
}
