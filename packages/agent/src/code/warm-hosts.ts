// Decides which script hosts are started ahead of runs, from the upcoming runs that claims name. A host is started some seconds
// before its run is due, and ended when no run is due any more.
import type { Job, UpcomingCodeRun } from '@vedette/contracts'
import type { HostKind, ScriptStyle } from './script/host.ts'
import type { ScriptHosts } from './script/script-host.ts'

type SpareHosts = Pick<ScriptHosts, 'keep' | 'spareCount'>

export interface WarmDeps {
  /** How many code runs the agent makes at once. */
  capacity: number
  /** The hosts for runs of a type; null: they need none, or it can't be started now. */
  hostsOf(runtimeId: string | null, type: Job['checkType']): Promise<SpareHosts | null>
  /** By a monotonic clock. */
  now?(): number
}

/** A start takes 1 to 3 s on a busy machine. */
const leadMs = 10_000
/** A run that an agent doesn't receive at its time was probably claimed by another one. */
const lateMs = 10_000
const tickMs = 1_000
/** Servers of an earlier release don't name upcoming runs: the next one may follow soon. */
const afterRunMs = 120_000

/** How many checks are known by the style of their scripts. */
const maxStyles = 10_000

interface Expected extends Omit<UpcomingCodeRun, 'dueInMs'> {
  dueAt: number
  /** Not wanted any more afterwards. */
  expiresAt: number
}

export class WarmHosts {
  readonly #deps: WarmDeps
  readonly #now: () => number
  #expected: Expected[] = []
  /** Hosts that have, or may have, spares. */
  readonly #used = new Set<SpareHosts>()
  /** Of the last run of each check. */
  readonly #styles = new Map<string, ScriptStyle>()
  #isServerSilent = true
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  /** Of the latest adjustment: it replaces those that still wait. */
  #turn = 0
  #hits = 0
  #misses = 0

  constructor(deps: WarmDeps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
  }

  /** `runs`: as the last claim named them; replaces the earlier ones. */
  expect(runs: readonly UpcomingCodeRun[]): void {
    const now = this.#now()
    this.#isServerSilent = false
    this.#expected = runs.map(({ dueInMs, ...run }) => ({
      ...run,
      dueAt: now + dueInMs,
      expiresAt: now + Math.max(0, dueInMs) + lateMs,
    }))
    void this.#adjust()
  }

  /** After a run whose hosts are these. */
  noteRun(
    { checkId, checkType, runtimeId }: Pick<Job, 'checkId' | 'checkType' | 'runtimeId'>,
    style: ScriptStyle,
  ): void {
    if (this.#styles.size >= maxStyles) this.#styles.clear()
    this.#styles.set(checkId, style)
    if (!this.#isServerSilent) return
    const now = this.#now()
    this.#expected = [{ checkId, type: checkType, runtimeId, dueAt: now, expiresAt: now + afterRunMs }]
    void this.#adjust()
  }

  readonly noteTaken = (isWarm: boolean): void => {
    if (isWarm) this.#hits += 1
    else this.#misses += 1
  }

  /** For health. */
  facts(): { hits: number; misses: number; spares: number } {
    const spares = [...this.#used].reduce((sum, { spareCount }) => sum + spareCount, 0)
    return { hits: this.#hits, misses: this.#misses, spares }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #adjust(): Promise<void> {
    const turn = ++this.#turn
    const now = this.#now()
    this.#expected = this.#expected.filter(({ expiresAt }) => expiresAt > now)
    const wanted = new Map<SpareHosts, HostKind[]>()
    const soon = this.#expected.filter(({ dueAt }) => dueAt - leadMs <= now)
    for (const { checkId, type, runtimeId } of soon.slice(0, this.#deps.capacity)) {
      const hosts = await this.#deps.hostsOf(runtimeId, type).catch(() => null)
      // A host for tests serves plain scripts too.
      const kind = { style: this.#styles.get(checkId) ?? 'test', usesBrowser: type !== 'MULTI_STEP' }
      if (hosts) wanted.set(hosts, [...(wanted.get(hosts) ?? []), kind])
    }
    if (this.#isClosed || turn !== this.#turn) return
    for (const hosts of wanted.keys()) this.#used.add(hosts)
    for (const hosts of this.#used) {
      hosts.keep(wanted.get(hosts) ?? [])
      if (hosts.spareCount === 0) this.#used.delete(hosts)
    }
    this.#schedule()
  }

  /** Until the next claim nothing changes if no run is expected and no host is kept. */
  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#used.size + this.#expected.length === 0) return
    const next = Math.min(...this.#expected.map(({ dueAt }) => dueAt)) - leadMs - this.#now()
    const waitMs = this.#used.size > 0 ? tickMs : Math.max(tickMs, next)
    this.#timer = setTimeout(() => void this.#adjust(), waitMs).unref()
  }
}
