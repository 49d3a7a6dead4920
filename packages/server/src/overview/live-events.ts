// Sends clients what changes in their account, every one to two seconds, while there are any. All clients of an account share one
// reading of its overview, and all accounts one query for alerts and one for updates of incidents.
import type { Recent } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import { getOrInsert } from '../core/get-or-insert.ts'
import type { Log } from '../core/log.ts'
import type { Pool } from '../storage/core/db.ts'
import { listRecentIncidentUpdates, listSentAlerts } from '../storage/results/recent-events.ts'
import type { AccountOverview } from './account-overview.ts'
import { serializeOverviewCheck } from './overview-entry.ts'
import type { Overviews } from './overviews.ts'
import { serializeAlert, serializeIncidentUpdate } from './recent.ts'
import { countStates } from './select-checks.ts'

/** Turns are one to two seconds apart: as far as needed for them to take 2 % of the time. */
const pace = { leastMs: 1_000, mostMs: 2_000, factor: 50 }
const commentMs = 15_000
/** Longer ago, reading everything again takes less than repeating. */
const resumableMs = 5 * 60_000
/** How late a transaction may commit after the time that its rows have, and by how much clocks may differ. */
const overlapMs = 60_000
const maxRepeated = 100
/** Of an account: they share their work, but not their memory. */
const maxListeners = 500

export interface Listener {
  accountId: string
  checkIds: ReadonlySet<string>
  /** The id of the last event that the client has received; null: none. */
  lastEventId: string | null
  send(event: { event: string; id?: number; data: string }): void
  sendComment(): void
  close(): void
  /** Whether the caller may still read the account. */
  isAllowed(): Promise<boolean>
}

interface Progress {
  /** The revision of the overview that was sent last; null: none yet. */
  sent: number | null
  sentAt: number
}

export class LiveEvents {
  readonly #overviews: Overviews
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #log: Log
  readonly #listeners = new Map<Listener, Progress>()
  /** Alerts and updates that were sent, with their time. */
  readonly #seen = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(given: { overviews: Overviews; pool: Pool; clock: Clock; log: Log }) {
    this.#overviews = given.overviews
    this.#pool = given.pool
    this.#clock = given.clock
    this.#log = given.log
  }

  /** Whether an account has as many clients as it may have. */
  isFull(accountId: string): boolean {
    return (
      Array.from(this.#listeners.keys()).filter((one) => one.accountId === accountId).length >= maxListeners
    )
  }

  /** Returns what ends it. */
  add(listener: Listener): () => void {
    this.#listeners.set(listener, { sent: null, sentAt: performance.now() })
    this.#timer ??= setTimeout(() => this.#run(), 0)
    return () => this.#listeners.delete(listener)
  }

  async #run(): Promise<void> {
    const startedAt = performance.now()
    // The store may be unavailable: what has changed meanwhile is sent afterwards.
    await this.#turn().catch((error: unknown) => this.#logFailure(error))
    this.#sendComments()
    const tookMs = performance.now() - startedAt
    const periodMs = Math.min(pace.mostMs, Math.max(pace.leastMs, pace.factor * tookMs))
    const waitMs = Math.max(0, periodMs - tookMs)
    this.#timer = this.#listeners.size === 0 ? null : setTimeout(() => this.#run(), waitMs).unref()
  }

  async #turn(): Promise<void> {
    await Promise.all(Array.from(this.#listeners.keys(), (listener) => this.#closeUnlessAllowed(listener)))
    const listeners = [...this.#listeners]
    if (listeners.length === 0) return
    const happened = await this.#readHappened(listeners)
    for (const [accountId, ofAccount] of Map.groupBy(listeners, ([{ accountId }]) => accountId)) {
      const own = happened.filter((one) => one.accountId === accountId)
      // What fails in one account doesn't concern the others.
      await this.#sendTo(accountId, ofAccount, own).catch((error: unknown) => this.#logFailure(error))
    }
    for (const [id, at] of this.#seen) if (at < this.#clock.now() - 2 * resumableMs) this.#seen.delete(id)
  }

  async #sendTo(
    accountId: string,
    listeners: readonly [Listener, Progress][],
    happened: readonly Happened[],
  ): Promise<void> {
    const overview = await this.#overviews.read(accountId)
    await sendChanges(overview, listeners, (listener, progress) =>
      this.#sendHappened(happened, listener, progress),
    )
    for (const { id, at } of happened) this.#seen.set(id, at)
  }

  #sendComments(): void {
    for (const [listener, progress] of this.#listeners) {
      if (performance.now() - progress.sentAt < commentMs) continue
      progress.sentAt = performance.now()
      listener.sendComment()
    }
  }

  #logFailure(error: unknown): void {
    this.#log.warn({ err: error }, 'events.failed')
  }

  async #closeUnlessAllowed(listener: Listener): Promise<void> {
    // While the store is unavailable, nothing is sent and nothing can be revoked.
    if (await listener.isAllowed().catch(() => true)) return
    this.#listeners.delete(listener)
    listener.close()
  }

  /** Alerts and updates of incidents, the oldest first: those of the last minute, or since the client was last connected. */
  async #readHappened(listeners: readonly [Listener, Progress][]): Promise<Happened[]> {
    const now = this.#clock.now()
    const resumed = listeners.flatMap(([listener, { sent }]) =>
      sent === null ? [resumesAt(listener, now) ?? now] : [],
    )
    const query = {
      accountIds: [...new Set(listeners.map(([{ accountId }]) => accountId))],
      from: Math.min(now - overlapMs, ...resumed),
      limit: maxRepeated,
    }
    const alerts = await listSentAlerts(this.#pool, query)
    const updates = await listRecentIncidentUpdates(this.#pool, query)
    const happened = [
      ...alerts.map((row) => ({ ...row, recent: serializeAlert(row) })),
      ...updates.map((row) => ({ ...row, recent: serializeIncidentUpdate(row) })),
    ]
    return happened
      .map(({ id, accountId, at, recent }) => ({ id, accountId, at: Date.parse(at), recent }))
      .sort((a, b) => a.at - b.at)
  }

  #sendHappened(happened: readonly Happened[], listener: Listener, { sent }: Progress): void {
    const resumedAt = sent === null ? resumesAt(listener, this.#clock.now()) : null
    for (const { id, at, recent } of happened) {
      const isNew = sent === null ? resumedAt !== null && at >= resumedAt : !this.#seen.has(id)
      if (isNew) listener.send({ event: recent.kind, data: JSON.stringify(recent) })
    }
  }
}

interface Happened {
  id: string
  accountId: string
  at: number
  recent: Recent
}

/** Null: the client has received nothing, or too long ago. */
function resumesAt({ lastEventId }: Listener, now: number): number | null {
  const at = lastEventId === null || !/^\d{1,15}$/.test(lastEventId) ? 0 : Number(lastEventId)
  return at >= now - resumableMs ? at : null
}

/** `sendHappened`: before the change, whose id says what a client has received. */
async function sendChanges(
  overview: AccountOverview,
  listeners: readonly [Listener, Progress][],
  sendHappened: (listener: Listener, progress: Progress) => void,
): Promise<void> {
  const { entries, revision, now } = overview
  // Most clients have received the same, so what has changed since is searched for once.
  const changes = new Map<number, ReturnType<AccountOverview['changedSince']>>()
  const planned = listeners.map(([listener, progress]) => {
    const resumedAt = resumesAt(listener, now)
    const isReload = progress.sent === null && listener.lastEventId !== null && resumedAt === null
    const since = progress.sent ?? resumedAt ?? revision
    const changed = getOrInsert(changes, since, () => overview.changedSince(since))
    const isFirst = progress.sent === null
    const own = isFirst
      ? Array.from(listener.checkIds).flatMap((id) => overview.get(id) ?? [])
      : changed.entries.filter(({ row }) => listener.checkIds.has(row.id))
    const others = changed.total - changed.entries.filter(({ row }) => listener.checkIds.has(row.id)).length
    return { listener, progress, isReload, isFirst, own, others }
  })
  const shown = [...new Set(planned.flatMap(({ own }) => own))]
  const runsOf = await overview.readRuns(shown)
  const textOf = new Map(
    shown.map((entry) => [entry, JSON.stringify(serializeOverviewCheck(entry, runsOf(entry), now))]),
  )
  const { counts, muted } = countStates(entries)
  const head = `"counts":${JSON.stringify(counts)},"muted":${muted}`
  for (const { listener, progress, isReload, isFirst, own, others } of planned) {
    sendHappened(listener, progress)
    progress.sent = revision
    if (!isReload && !isFirst && own.length === 0 && others === 0) continue
    const checks = own.map((entry) => textOf.get(entry)).join(',')
    const data = isReload ? '{}' : `{${head},"checks":[${checks}],"changed":${others}}`
    listener.send({ event: isReload ? 'reload' : 'change', id: revision, data })
    progress.sentAt = performance.now()
  }
}
