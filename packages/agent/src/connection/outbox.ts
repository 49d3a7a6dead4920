// Collects results for a moment, journals them, and sends them in batches until the server has acknowledged each. Small results
// don't wait for large ones (deliver-results.ts). While the journal isn't writable, results are sent from memory, and
// `journalError` keeps the agent from claiming runs.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../core/log.ts'
import { type Deliverable, type Delivery, deliverResults } from './deliver-results.ts'
import type { Journal, JournalPosition } from './journal.ts'
import type { ServerClient } from './server-client.ts'

export interface Outbox {
  /**
   * `text`: the JSON of a ReportedResult. `owner`: the account; accounts take turns with large results. `canWait`: it needn't be sent
   * at once, so it is sent together with others.
   */
  push(token: string, text: string, options?: { owner?: string; canWait?: boolean }): void
  /** Leases of results that the server doesn't have yet. */
  tokens(): string[]
  /** Number of results that the server doesn't have yet. */
  readonly size: number
  /** Why results can't be journaled; null: they can. */
  readonly journalError: Error | null
  /** Resolves when the server has everything, or after a timeout. */
  waitUntilEmpty(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

export interface OutboxOptions {
  agentId: string
  client: ServerClient
  journal: Journal
  log: Log
  /** Reports an error of the agent. */
  report(message: string): void
  collectMs?: number
  retryJournalMs?: number
  memoryBytes?: number
}

interface Item extends Deliverable {
  token: string
  /** Null: to be read from the journal. */
  text: string | null
  position: JournalPosition | null
  /** Its text is counted in `memoryBytes`. */
  isHeld: boolean
  isSettled: boolean
}

const maxCollected = 100
const spaceCheckMs = 10_000

export function createOutbox(options: OutboxOptions): Outbox {
  return new ResultOutbox(options)
}

const newItem = { owner: '', canWait: false, position: null, isHeld: false, isSettled: false }

function leftItem({ token, position }: Journal['left'][number]): Item {
  return { ...newItem, token, text: null, size: position.length, position }
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
  #journalError: Error | null = null
  #watch: NodeJS.Timeout
  #onEmpty: (() => void)[] = []

  constructor(options: OutboxOptions) {
    this.#options = { collectMs: 100, retryJournalMs: 1_000, memoryBytes: 32_000_000, ...options }
    this.#delivery = deliverResults<Item>({
      ...this.#options,
      signal: this.#closing.signal,
      read: async (item) => item.text ?? (await this.#readBack(item)),
      onSettled: (items) => this.#settle(items),
    })
    this.#watch = setInterval(() => this.#watchJournal(), spaceCheckMs)
    this.#send(options.journal.left.map(leftItem))
  }

  get size(): number {
    return this.#collected.length + this.#sent.size
  }

  get journalError(): Error | null {
    return this.#journalError
  }

  tokens(): string[] {
    return [...this.#collected, ...this.#sent].map(({ token }) => token)
  }

  push(token: string, text: string, options: { owner?: string; canWait?: boolean } = {}): void {
    this.#collected.push({ ...newItem, token, text, size: text.length, ...options })
    if (this.#collected.length >= maxCollected) {
      this.#flush()
      return
    }
    if (this.#collectTimer) return
    const waitMs = this.#lastFlushAt + this.#options.collectMs - performance.now()
    this.#collectTimer = setTimeout(() => this.#flush(), Math.max(0, waitMs))
  }

  async waitUntilEmpty(timeoutMs: number): Promise<void> {
    this.#flush()
    await this.#flushing
    this.#delivery.hurry()
    if (this.size === 0) return
    const timeout = new AbortController()
    await Promise.race([
      new Promise<void>((resolve) => this.#onEmpty.push(resolve)),
      sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
    ])
    timeout.abort()
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
      const positions = await this.#options.journal.append(items.map(({ text }) => text ?? ''))
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

  /** A text that exceeds the memory limit is read from disk again when it is sent. */
  #hold(item: Item): void {
    if (item.text === null || item.isSettled) return
    item.isHeld = this.#heldChars + item.text.length <= this.#options.memoryBytes
    if (item.isHeld) this.#heldChars += item.text.length
    else item.text = null
  }

  #fail(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(errorMessage(thrown))
    if (this.#journalError === null) {
      const hint = 'the agent claims no runs until then: free disk space or set AGENT_DATA_DIR'
      this.#options.log.error({ err: error, hint }, 'journal.failed')
      this.#options.report(`results can't be journaled: ${error.message}`)
    }
    this.#journalError = error
    this.#restartWatch(this.#options.retryJournalMs)
  }

  #recover(): void {
    if (this.#journalError === null) return
    this.#journalError = null
    this.#options.log.info({}, 'journal.recovered')
    this.#restartWatch(spaceCheckMs)
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
        if (this.#journalError === null) return
        await journal.probe()
      } catch (error) {
        return this.#fail(error)
      }
      const unwritten = [...this.#sent].filter(({ position }) => position === null)
      if (unwritten.length > 0 && !(await this.#journal(unwritten))) return
      this.#recover()
    })
  }

  #send(items: readonly Item[]): void {
    for (const item of items) this.#sent.add(item)
    this.#delivery.push(items)
  }

  /** For a result that the disk lost, an empty object is sent, which the server refuses and delivery drops. */
  async #readBack({ position }: Item): Promise<string> {
    try {
      return position ? await this.#options.journal.read(position) : '{}'
    } catch (error) {
      this.#options.log.error({ err: error }, 'journal.unreadable')
      return '{}'
    }
  }

  async #settle(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.#sent.delete(item)
      item.isSettled = true
      if (item.isHeld) this.#heldChars -= item.text?.length ?? 0
    }
    await this.#options.journal.acknowledge(items.flatMap(({ position }) => position ?? []))
    if (this.size > 0) return
    for (const done of this.#onEmpty.splice(0)) done()
  }
}
