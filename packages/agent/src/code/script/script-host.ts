// Which hosts are started ahead of runs, and which one a run gets. Each serves one run.
import { CompiledScripts } from './compiled-scripts.ts'
import type { HostKind, ScriptHost } from './host.ts'
import { HostStarter, removeCell, type StarterDeps } from './host-starter.ts'

/** How long a spare host that is no longer wanted is kept: its run may be on the way to it. */
const unwantedMs = 5_000
/** After a failed start, runs report the error; spares are tried again after this time. */
const failedMs = 30_000

/** Serves every run. */
const anyKind: HostKind = { style: 'test', usesBrowser: false }

interface Spare {
  host: Promise<ScriptHost | null>
  kind: HostKind
  isReady: boolean
  /** When it was wanted last. */
  wantedAt: number
}

interface HostDeps extends StarterDeps {
  /** Called for each run: whether its host was ready before it. */
  onTaken?(isWarm: boolean): void
}

export class ScriptHosts {
  readonly compiled = new CompiledScripts()
  readonly #deps: HostDeps
  readonly #starter: HostStarter
  #spares: Spare[] = []
  #failedAt = Number.NEGATIVE_INFINITY
  readonly #closing = new AbortController()

  constructor(deps: HostDeps) {
    this.#deps = deps
    this.#starter = new HostStarter(deps)
  }

  get spareCount(): number {
    return this.#spares.length
  }

  async take(signal: AbortSignal, kind: HostKind = anyKind): Promise<ScriptHost> {
    signal.throwIfAborted()
    const spare = this.#takeSpare(kind)
    this.#deps.onTaken?.(spare?.isReady === true)
    const found = (await spare?.host) ?? null
    if (found === null) return this.#starter.start(signal, kind)
    if (!found.hasEnded && !signal.aborted) return found
    await removeCell(found.cell)
    return this.#starter.start(signal, kind)
  }

  /** The oldest of its kind, else any. Synchronous up to the removal: a host serves one run. */
  #takeSpare(kind: HostKind): Spare | undefined {
    const spare = this.#spares.find((one) => isSame(one.kind, kind)) ?? this.#spares[0]
    this.#spares = this.#spares.filter((one) => one !== spare)
    return spare
  }

  /** Starts the spare hosts that are missing, and ends those that haven't been wanted for some seconds. */
  keep(wanted: readonly HostKind[]): void {
    if (this.#closing.signal.aborted) return
    const now = performance.now()
    const unmatched = [...this.#spares]
    for (const kind of wanted) {
      const index = unmatched.findIndex((one) => isSame(one.kind, kind))
      if (index < 0 && now - this.#failedAt < failedMs) continue
      const [spare] = index < 0 ? [this.#startSpare(kind)] : unmatched.splice(index, 1)
      if (spare) spare.wantedAt = now
    }
    const unwanted = new Set(unmatched.filter(({ wantedAt }) => now - wantedAt >= unwantedMs))
    this.#spares = this.#spares.filter((one) => !unwanted.has(one))
    for (const spare of unwanted) void removeSpare(spare)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const spares = this.#spares
    this.#spares = []
    await Promise.all(spares.map(removeSpare))
  }

  #startSpare(kind: HostKind): Spare {
    const host = this.#starter.startAhead(this.#closing.signal, kind).catch(() => null)
    const spare: Spare = { host, kind, isReady: false, wantedAt: 0 }
    this.#spares.push(spare)
    void host.then((started) => {
      spare.isReady = started !== null
      if (started !== null) return
      this.#failedAt = performance.now()
      this.#spares = this.#spares.filter((one) => one !== spare)
    })
    return spare
  }
}

const isSame = (one: HostKind, other: HostKind) =>
  one.usesBrowser === other.usesBrowser && one.style === other.style

async function removeSpare({ host }: Spare): Promise<void> {
  const started = await host
  if (started) await removeCell(started.cell)
}
