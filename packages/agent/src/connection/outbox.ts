// Results on their way: collected for a moment, journaled, sent in batches until the server has acknowledged each.
// Small results don't wait behind large ones (deliver-results.ts). While the journal can't be written results go out
// from memory, and `trouble` keeps the agent from claiming more.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../core/log.ts'
import { type Deliverable, type Delivery, deliverResults } from './deliver-results.ts'
import type { Journal, Place } from './journal.ts'
import type { ServerClient } from './server-client.ts'

export interface Outbox {
  /** `text`: the JSON of a ReportedResult. `owner`: the account, among which large results are sent in turn. */
  push(token: string, text: string, owner?: string): void
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

interface Item extends Deliverable {
  token: string
  /** Null: to be read from the journal. */
  text: string | null
  place: Place | null
  /** Counted in the memory for texts. */
  isHeld: boolean
  isSettled: boolean
}

const collectAtMost = 100
const roomCheckMs = 10_000

export function createOutbox(options: OutboxOptions): Outbox {
  return new ResultOutbox(options)
}

function newItem(token: string, text: string, owner: string): Item {
  return { token, text, owner, size: text.length, place: null, isHeld: false, isSettled: false }
}

function leftItem({ token, place }: Journal['left'][number]): Item {
  return { token, text: null, owner: '', size: place.length, place, isHeld: false, isSettled: false }
}

class ResultOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>
  readonly #closing = new AbortController()
  #collected: Item[] = []
  /** Handed to delivery, not acknowledged yet. */
  readonly #sent = new Set<Item>()
  readonly #delivery: Delivery<Item>
  #heldChars = 0
  #collectTimer: NodeJS.Timeout | null = null
  #lastFlushAt = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()
  #isFlushQueued = false
  #trouble: Error | null = null
  #watch: NodeJS.Timeout
  #onEmpty: (() => void)[] = []

  constructor(options: OutboxOptions) {
    this.#options = { collectMs: 100, retryJournalMs: 1_000, memoryBytes: 32_000_000, ...options }
    this.#delivery = deliverResults<Item>({
      ...this.#options,
      signal: this.#closing.signal,
      read: async (item) => item.text ?? (await this.#readBack(item)),
      settled: (items) => this.#settled(items),
    })
    this.#watch = setInterval(() => this.#watchJournal(), roomCheckMs)
    this.#send(options.journal.left.map(leftItem))
  }

  get size(): number {
    return this.#collected.length + this.#sent.size
  }

  get trouble(): Error | null {
    return this.#trouble
  }

  tokens(): string[] {
    return [...this.#collected, ...this.#sent].map(({ token }) => token)
  }

  push(token: string, text: string, owner = ''): void {
    this.#collected.push(newItem(token, text, owner))
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
    await this.#delivery.ended()
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
    this.#send(items)
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
      const unwritten = [...this.#sent].filter(({ place }) => place === null)
      if (unwritten.length > 0 && !(await this.#journal(unwritten))) return
      this.#recovered()
    })
  }

  #send(items: readonly Item[]): void {
    for (const item of items) this.#sent.add(item)
    this.#delivery.push(items)
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

  async #settled(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.#sent.delete(item)
      item.isSettled = true
      if (item.isHeld) this.#heldChars -= item.text?.length ?? 0
    }
    await this.#options.journal.acknowledge(items.flatMap(({ place }) => place ?? []))
    if (this.size > 0) return
    for (const done of this.#onEmpty.splice(0)) done()
  }
}
