// The scripts of one run. They share a child, so teardown sees what setup left in memory and in process.env. A child that was
// stopped is replaced by a new one, which starts with the last known variables.
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { DialContext } from '../net/dial.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import { type ScriptLimits, scriptLimits } from './limits.ts'
import type { LineProcess, ProcessEnd } from './line-process.ts'
import type { FromChild, LogLevel, Pair, RequestView, Snippet, ToChild } from './messages.ts'
import type { RunGroup } from './run-groups.ts'
import { watchMemory, watchProcesses } from './watch-cell.ts'

export interface SessionSettings {
  variables: Readonly<Record<string, string>>
  snippets: readonly Snippet[]
  region: string
  network: NetworkPolicy
  lookup?: DialContext['lookup']
  signal: AbortSignal
  onLog(level: LogLevel, msg: string): void
  limits?: Partial<ScriptLimits>
}

export type ScriptRun = Omit<Extract<ToChild, { type: 'run' }>, 'type' | 'id'>

export type ScriptOutcome =
  | { ok: true; request: RequestView; body: string | null; variables: Record<string, string> }
  /** `isOurs`: a failure of the agent, not of the script. */
  | { ok: false; message: string; code: ScriptFailureCode; isOurs: boolean }

type ScriptFailureCode =
  | 'SCRIPT_ERROR'
  | 'SCRIPT_TIMEOUT'
  | 'SCRIPT_MEMORY'
  | 'SCRIPT_PROCESSES'
  | 'SCRIPT_OUTPUT'
  | 'SCRIPT_ENDED'
  | 'SANDBOX'
  | 'CANCELLED'

export interface ScriptChild {
  process: LineProcess<FromChild>
  /** The path of the runtime's packages as the child sees it, if they were installed when it started. */
  modules: string | null
  /** Where it looks for its egress; null: it has the network of this machine. */
  egressFolder: string | null
  group: RunGroup | null
  remove(): void
}

export interface ChildSource {
  /** A child that is ready; null: none could be started. */
  take(): Promise<ScriptChild | null>
  /** Called after a child was removed. */
  giveBack(): void
  /** Called when the session is closed. */
  release(): void
}

export class ScriptSession {
  readonly #source: ChildSource
  readonly #settings: SessionSettings
  readonly #limits: ScriptLimits
  #variables: Readonly<Record<string, string>>
  #child: (ScriptChild & { egress: EgressServer | null }) | null = null
  #runs = 0

  constructor(source: ChildSource, settings: SessionSettings) {
    this.#source = source
    this.#settings = settings
    this.#limits = { ...scriptLimits, ...settings.limits }
    this.#variables = settings.variables
  }

  async run(script: ScriptRun): Promise<ScriptOutcome> {
    const child = await this.#ready()
    if (!child) return failure('SANDBOX', 'the agent could not start a sandbox on its host', true)
    if (this.#settings.signal.aborted) return failure('CANCELLED', 'the run was canceled', true)
    const outcome = await this.#runIn(child, script)
    if (outcome.ok) this.#variables = outcome.variables
    if (child.process.hasEnded) this.#removeChild()
    return outcome
  }

  /** To be called once. */
  close(): void {
    this.#removeChild()
    this.#source.release()
  }

  #removeChild(): void {
    const child = this.#child
    this.#child = null
    if (!child) return
    child.process.kill()
    child.egress?.close()
    child.remove()
    this.#source.giveBack()
  }

  async #ready() {
    if (this.#child && !this.#child.process.hasEnded) return this.#child
    this.#removeChild()
    const taken = await this.#source.take()
    if (!taken) return null
    const { egressFolder, modules, process } = taken
    const egress = egressFolder && (await startEgressServer(egressFolder, this.#settings, this.#limits))
    this.#child = { ...taken, egress: egress || null }
    const variables: Pair[] = Object.entries(this.#variables)
    const { snippets, region } = this.#settings
    process.send({ type: 'begin', variables, snippets, region, modules })
    return this.#child
  }

  #runIn({ process, group }: ScriptChild, script: ScriptRun): Promise<ScriptOutcome> {
    const id = ++this.#runs
    const { signal, onLog } = this.#settings
    const { timeoutMs, residentBytes } = this.#limits
    return new Promise((settle) => {
      const end = (outcome: ScriptOutcome) => {
        clearTimeout(timer)
        watch.stop()
        signal.removeEventListener('abort', onAbort)
        process.onMessage = () => {}
        settle(outcome)
      }
      const stop = (outcome: ScriptOutcome) => {
        end(outcome)
        process.kill()
      }
      const onAbort = () => stop(failure('CANCELLED', 'the run was canceled', true))
      const timer = setTimeout(
        () => stop(failure('SCRIPT_TIMEOUT', `it took longer than ${timeoutMs / 1000} s`)),
        timeoutMs,
      )
      const excesses = {
        memory: failure('SCRIPT_MEMORY', `it used more than ${residentBytes >> 20} MB of memory`),
        processes: failure('SCRIPT_PROCESSES', 'it started more threads than allowed'),
      }
      const watch = group
        ? watchProcesses(group, () => stop(excesses.processes))
        : watchMemory(process.pid ?? 0, residentBytes, () => stop(excesses.memory))
      signal.addEventListener('abort', onAbort, { once: true })
      process.resetOutputCount()
      process.onMessage = (message) => {
        if (message.type === 'log') return onLog(message.level, message.msg)
        if (message.type === 'ready' || message.id !== id) return
        if (message.type === 'failed') return end(failure('SCRIPT_ERROR', message.message))
        const { request, body } = message
        end({ ok: true, request, body, variables: Object.fromEntries(message.variables) })
      }
      void process.ended.then((how) => {
        const excess = typeof how === 'string' ? null : group?.exceeded()
        end(excess ? excesses[excess] : outcomeOf(how))
      })
      process.send({ type: 'run', id, ...script })
    })
  }
}

function outcomeOf(end: ProcessEnd): ScriptOutcome {
  if (end === 'flooded') return failure('SCRIPT_OUTPUT', 'it wrote more output than allowed')
  if (end === 'tampered') return failure('SCRIPT_OUTPUT', "its output can't be read")
  if (end === 'killed') return failure('CANCELLED', 'the run was canceled', true)
  if (/heap out of memory|Cannot allocate memory|bad_alloc/i.test(end.stderr))
    return failure('SCRIPT_MEMORY', 'it used more memory than allowed')
  const how = end.signal === null ? `code ${end.exitCode}` : end.signal
  return failure('SCRIPT_ENDED', `it ended its process (${how})`)
}

function failure(code: ScriptFailureCode, message: string, isOurs = false): ScriptOutcome {
  return { ok: false, message, code, isOurs }
}
