// Collects results for a moment, journals them, and sends them in batches until the server has acknowledged each. Small results
// don't wait for large ones (deliver-results.ts). While the journal isn't writable, results are sent from memory, and
// `journalError` keeps the agent from claiming runs.
import { toError } from '@vedette/safeguards/errors'
import type { Log } from '../core/log.ts'
import { type Deliverable, deliverResults } from './deliver-results.ts'
import type { Journal, JournalPosition } from './journal.ts'
import type { ServerClient } from './server-client.ts'

export interface OutboxOptions {
  agentId: string
  client: ServerClient
  journal: Journal
  log: Log
  /** Reports an error of the agent. */
  report(message: string): void
  retryJournalMs?: number
  memoryBytes?: number
}

interface Item extends Deliverable {
  token: string
  /** The JSON of a ReportedResult; null: to be read from the journal. */
  bytes: Buffer | null
  position: JournalPosition | null
  /** Its bytes are counted in `memoryBytes`. */
  isHeld: boolean
  isSettled: boolean
}

const collectMs = 100
const maxCollected = 100
const spaceCheckMs = 10_000
const emptyObject = Buffer.from('{}')

export class Outbox {
  readonly #options: Required<OutboxOptions>
  readonly #closing = new AbortController()
  #collected: Item[] = []
  /** Handed to delivery, not acknowledged yet. */
  readonly #sent = new Set<Item>()
  readonly #delivery: ReturnType<typeof deliverResults<Item>>
  #heldBytes = 0
  #collectTimer: NodeJS.Timeout | null = null
  #lastFlushAt = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()
  #isFlushQueued = false
  /** Why results can't be journaled; null: they can. */
  journalError: Error | null = null
  #watch: NodeJS.Timeout
  #onEmpty: () => void = () => undefined

  constructor(options: OutboxOptions) {
    this.#options = { retryJournalMs: 1_000, memoryBytes: 32_000_000, ...options }
    this.#delivery = deliverResults<Item>({
      ...this.#options,
      signal: this.#closing.signal,
      read: async (item) => item.bytes ?? (await this.#readBack(item)),
      onSettled: (items) => this.#settle(items),
    })
    this.#watch = setInterval(() => this.#watchJournal(), spaceCheckMs)
    this.#send(
      options.journal.left.map(({ token, position }) => {
        const item = { token, position, bytes: null, size: position.length, owner: '', canWait: false }
        return { ...item, isHeld: false, isSettled: false }
      }),
    )
  }

  /** Number of results that the server doesn't have yet. */
  get size(): number {
    return this.#collected.length + this.#sent.size
  }

  /** Leases of results that the server doesn't have yet. */
  tokens(): string[] {
    return [...this.#collected, ...this.#sent].map(({ token }) => token)
  }

  /** `text`: the JSON of a ReportedResult. */
  push(token: string, text: string, options: Pick<Item, 'owner' | 'canWait'>): void {
    const bytes = Buffer.from(text)
    const size = bytes.length
    this.#collected.push({ token, bytes, size, position: null, isHeld: false, isSettled: false, ...options })
    if (this.#collected.length >= maxCollected) this.#flush()
    else if (!this.#collectTimer) {
      const waitMs = this.#lastFlushAt + collectMs - performance.now()
      this.#collectTimer = setTimeout(() => this.#flush(), Math.max(0, waitMs))
    }
  }

  /** Resolves when the server has everything, or after a timeout. */
  async waitUntilEmpty(timeoutMs: number): Promise<void> {
    this.#flush()
    await this.#flushing
    this.#delivery.hurry()
    if (this.size === 0) return
    const empty = Promise.withResolvers<void>()
    this.#onEmpty = empty.resolve
    const timer = setTimeout(empty.resolve, timeoutMs)
    await empty.promise
    clearTimeout(timer)
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    this.#flush()
    await this.#flushing
    this.#closing.abort()
    await this.#delivery.waitForEnd()
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
    // More results may have been collected in the meantime.
    this.#collected = this.#collected.slice(items.length)
    this.#send(items)
  }

  async #journal(items: Item[]): Promise<boolean> {
    try {
      const positions = await this.#options.journal.append(items.map(({ bytes }) => bytes ?? emptyObject))
      for (const [index, item] of items.entries()) {
        item.position = positions[index] ?? null
        this.#hold(item)
      }
      // The server may have received some before the disk did.
      await this.#options.journal.acknowledge(
        items.flatMap(({ isSettled, position }) => (isSettled && position) || []),
      )
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  /** A result that exceeds the memory limit is read from disk again when it is sent. */
  #hold(item: Item): void {
    if (item.bytes === null || item.isSettled) return
    item.isHeld = this.#heldBytes + item.bytes.length <= this.#options.memoryBytes
    if (item.isHeld) this.#heldBytes += item.bytes.length
    else item.bytes = null
  }

  #fail(thrown: unknown): void {
    const error = toError(thrown)
    if (this.journalError === null) {
      const hint = 'the agent claims no runs until then: free disk space or set AGENT_DATA_DIR'
      this.#options.log.error({ err: error, hint }, 'journal.failed')
      this.#options.report(`results can't be journaled: ${error.message}`)
    }
    this.journalError = error
    this.#restartWatch(this.#options.retryJournalMs)
  }

  #restartWatch(everyMs: number): void {
    clearInterval(this.#watch)
    if (!this.#closing.signal.aborted) this.#watch = setInterval(() => this.#watchJournal(), everyMs)
  }

  #watchJournal(): void {
    this.#flushing = this.#flushing.then(async () => {
      const { journal } = this.#options
      try {
        await journal.checkFreeSpace()
        if (this.journalError === null) return
        await journal.probe()
      } catch (error) {
        return this.#fail(error)
      }
      const unwritten = [...this.#sent].filter(({ position }) => position === null)
      if (unwritten.length > 0 && !(await this.#journal(unwritten))) return
      this.journalError = null
      this.#options.log.info({}, 'journal.recovered')
      this.#restartWatch(spaceCheckMs)
    })
  }

  #send(items: readonly Item[]): void {
    for (const item of items) this.#sent.add(item)
    this.#delivery.push(items)
  }

  /** For a result that the disk lost, an empty object is sent, which the server refuses and delivery drops. */
  async #readBack({ position }: Item): Promise<Buffer> {
    try {
      return position ? await this.#options.journal.read(position) : emptyObject
    } catch (error) {
      this.#options.log.error({ err: error }, 'journal.unreadable')
      return emptyObject
    }
  }

  async #settle(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.#sent.delete(item)
      item.isSettled = true
      if (item.isHeld) this.#heldBytes -= item.bytes?.length ?? 0
    }
    await this.#options.journal.acknowledge(items.flatMap(({ position }) => position ?? []))
    if (this.size === 0) this.#onEmpty()
  }
}
