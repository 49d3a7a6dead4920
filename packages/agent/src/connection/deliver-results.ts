// Sends results to the server in batches, until they are acknowledged. Small results have their own sender, so that they
// never wait for large ones; accounts with large results take turns. The order between senders doesn't matter: a check's next
// run is handed out after the result of the last one is settled, and the lease decides about late results.
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../core/backoff.ts'
import { FairQueue } from '../core/fair-queue.ts'
import type { Log } from '../core/log.ts'
import { maxResultsPerReport } from './protocol.ts'
import type { ServerClient } from './server-client.ts'
import { ServerError } from './server-exchange.ts'

export interface Deliverable {
  owner: string
  /** In bytes. */
  size: number
  /** For others to be sent with. */
  canWait: boolean
}

interface DeliveryOptions<Item> {
  agentId: string
  client: ServerClient
  log: Log
  /** Reports an error of the agent. */
  report(message: string): void
  signal: AbortSignal
  read(item: Item): Promise<Buffer>
  /** Called with results that the server has accepted or refused for good. */
  onSettled(items: readonly Item[]): Promise<void>
}

/** A typical result has about 2,000 bytes; one with a stored body has up to ten times this limit. */
const maxSmallBytes = 32_000
const smallBatchBytes = 4_000_000
/** The server handles one batch per sender at a time, so batches of large results are small. */
const largeBatchBytes = 1_000_000
const largeSenders = 2
const sendTimeoutMs = 15_000
/** How long results wait for others: a server with many agents would otherwise settle each one in a transaction of its own. */
const gatherMs = 3_000
const maxGathered = 100
const comma = Buffer.from(',')
const end = Buffer.from(']}')

export function deliverResults<Item extends Deliverable>(options: DeliveryOptions<Item>) {
  const small = new FairQueue<Item>()
  const large = new FairQueue<Item>()
  const smallSender = batchSender(small, smallBatchBytes, options)
  const senders = Array.from({ length: largeSenders }, () => batchSender(large, largeBatchBytes, options))
  return {
    push(items: readonly Item[]) {
      for (const item of items) (item.size <= maxSmallBytes ? small : large).push(item.owner, item)
      for (const sender of senders) sender.start()
      if (items.every(({ canWait }) => canWait) && small.size < maxGathered) smallSender.startSoon()
      else smallSender.start()
    },
    /** Sends what waits for others. */
    hurry: () => smallSender.start(),
    /** After an abort: resolves when no request is in flight. */
    async waitForEnd() {
      await Promise.all([smallSender, ...senders].map((sender) => sender.waitForEnd()))
    },
  }
}

/** Sends one batch after the other. */
function batchSender<Item extends Deliverable>(
  queue: FairQueue<Item>,
  maxBytes: number,
  { agentId, client, log, report, signal, read, onSettled }: DeliveryOptions<Item>,
) {
  const begin = Buffer.from(`{"agentId":"${agentId}","results":[`)
  /** Removed from the queue, but not settled yet. */
  let front: Item[] = []
  let batchLimit = maxResultsPerReport
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  function startSoon(): void {
    if (timer !== null || sending || signal.aborted) return
    timer = setTimeout(() => start(), gatherMs).unref()
  }

  function start(): void {
    clearTimeout(timer ?? undefined)
    timer = null
    if (sending || signal.aborted || !hasMore()) return
    sending = sendAll().finally(() => {
      sending = null
      start()
    })
  }

  const hasMore = () => front.length + queue.size > 0

  async function sendAll(): Promise<void> {
    const backoff = createBackoff()
    while (hasMore() && !signal.aborted) {
      try {
        await sendBatch()
        backoff.reset()
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof ServerError)) log.error({ err: error }, 'outbox.failed')
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async function sendBatch(): Promise<void> {
    const items = nextBatch()
    const parts: Buffer[] = []
    // Sequential, since each read may use a thread of the pool.
    for (const item of items) parts.push(parts.length === 0 ? begin : comma, await read(item))
    const body = Buffer.concat([...parts, end])
    try {
      const { answers } = await client.call('results', body, { timeoutMs: sendTimeoutMs, signal })
      if (answers?.length !== items.length)
        throw new ServerError('the response has another number of answers than results', 502)
      const refused = answers.filter(({ accepted }) => !accepted)
      if (refused.length > 0)
        log.warn({ count: refused.length, reason: refused[0]?.reason }, 'results.refused')
      batchLimit = maxResultsPerReport
    } catch (error) {
      if (!(error instanceof ServerError && error.isRefusal)) throw error
      // Halve the batch to find the result that the server refuses, and drop it.
      batchLimit = Math.max(1, Math.floor(items.length / 2))
      if (items.length > 1) return
      log.error({ err: error }, 'result.given-up')
      report(`The server refused a result: ${error.message}`)
    }
    front = front.slice(items.length)
    await onSettled(items)
  }

  function nextBatch(): Item[] {
    let bytes = 0
    for (let count = 0; count < batchLimit; count++) {
      const next = front[count] ?? queue.take()
      if (!next) return front.slice(0, count)
      front[count] = next
      bytes += next.size
      if (count > 0 && bytes > maxBytes) return front.slice(0, count)
    }
    return front.slice(0, batchLimit)
  }

  return { startSoon, start, waitForEnd: async () => sending }
}
