// The scripts of one run. They share a child, so teardown sees what setup left in memory and in process.env. A child that was
// stopped is replaced by a new one, which starts with the last known variables.

import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import type { DialContext } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import { Egress } from './egress.ts'
import { type ScriptLimits, scriptLimits } from './limits.ts'
import type {
  FromChild,
  LogLevel,
  Pair,
  RequestView,
  ResponseView,
  ScriptImports,
  ScriptPhase,
} from './messages.ts'
import type { ProcessEnd, SandboxProcess } from './sandbox-process.ts'
import { watchMemory } from './watchdog.ts'

export interface SessionSettings {
  variables: Readonly<Record<string, string>>
  snippets: readonly { name: string; script: string }[]
  region: string
  network: NetworkPolicy
  lookup?: DialContext['lookup']
  signal: AbortSignal
  onLog(level: LogLevel, msg: string): void
  limits?: Partial<ScriptLimits>
}

export interface ScriptRun {
  phase: ScriptPhase
  script: string
  imports?: ScriptImports | null
  request: RequestView
  response: ResponseView | null
}

export type ScriptOutcome =
  | { ok: true; request: RequestView; body: string | null; variables: Record<string, string> }
  /** `isOurs`: a failure of the agent, not of the script. */
  | { ok: false; message: string; code: ScriptFailureCode; isOurs: boolean }

type ScriptFailureCode =
  | 'SCRIPT_ERROR'
  | 'SCRIPT_TIMEOUT'
  | 'SCRIPT_MEMORY'
  | 'SCRIPT_OUTPUT'
  | 'SCRIPT_ENDED'
  | 'SANDBOX'
  | 'CANCELLED'

export interface ChildSource {
  /** The path of the directory's sockets as the child sees it. */
  socketFolder(folder: string): string
  /** A child that is ready; null: none could be started. */
  takeChild(): Promise<{ process: SandboxProcess; folder: string; modules: string | null } | null>
  giveBack(folder: string): void
}

export class ScriptSession {
  readonly #source: ChildSource
  readonly #settings: SessionSettings
  readonly #limits: ScriptLimits
  #variables: Readonly<Record<string, string>>
  #child: { process: SandboxProcess; folder: string; egress: Egress } | null = null
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
    const outcome = await this.#runIn(child.process, child.egress, child.folder, script)
    if (outcome.ok) this.#variables = outcome.variables
    if (child.process.hasEnded) this.close()
    return outcome
  }

  close(): void {
    const child = this.#child
    this.#child = null
    if (!child) return
    child.process.kill()
    child.egress.close()
    this.#source.giveBack(child.folder)
  }

  async #ready() {
    if (this.#child && !this.#child.process.hasEnded) return this.#child
    this.close()
    const taken = await this.#source.takeChild()
    if (!taken) return null
    const { snippets, region } = this.#settings
    this.#child = { ...taken, egress: new Egress(taken.folder, this.#settings, this.#limits) }
    const variables: Pair[] = Object.entries(this.#variables)
    const { maxPassedBytes } = this.#limits
    const { modules } = taken
    taken.process.send({ type: 'begin', variables, snippets: [...snippets], region, maxPassedBytes, modules })
    return this.#child
  }

  #runIn(process: SandboxProcess, egress: Egress, folder: string, script: ScriptRun): Promise<ScriptOutcome> {
    const id = ++this.#runs
    const { signal, onLog } = this.#settings
    const { timeoutMs, residentBytes } = this.#limits
    return new Promise((settle) => {
      const end = (outcome: ScriptOutcome) => {
        clearTimeout(timer)
        watch?.stop()
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
      const watch =
        process.pid === undefined
          ? null
          : watchMemory(process.pid, residentBytes, () =>
              stop(failure('SCRIPT_MEMORY', `it used more than ${residentBytes >> 20} MB of memory`)),
            )
      signal.addEventListener('abort', onAbort, { once: true })
      process.resetOutputCount()
      process.onMessage = (message) => {
        if (message.type === 'log') return onLog(message.level, message.msg)
        if (message.type === 'open' || message.type === 'resolve') {
          return void this.#connect(process, egress, folder, message)
        }
        if (message.type === 'ready' || message.id !== id) return
        if (message.type === 'failed') return end(failure('SCRIPT_ERROR', message.message))
        const { request, body } = message
        end({ ok: true, request, body, variables: Object.fromEntries(message.variables) })
      }
      process.onEnd((how) => end(outcomeOf(how)))
      process.send({ type: 'run', id, imports: null, ...script })
    })
  }

  async #connect(
    process: SandboxProcess,
    egress: Egress,
    folder: string,
    request: Extract<FromChild, { type: 'open' | 'resolve' }>,
  ): Promise<void> {
    const { id, host, family } = request
    const refuse = ({ message, code = 'EACCES' }: { message: string; code?: string }) =>
      process.send({ type: 'refusal', id, message, code })
    try {
      const found: string | string[] | Failure =
        request.type === 'open'
          ? await egress.open(host, request.port, family)
          : await egress.resolve(host, family)
      if (typeof found === 'string') {
        const path = `${this.#source.socketFolder(folder)}/${found}`
        return process.send({ type: 'reply', id, value: path })
      }
      if (isFailure(found)) return refuse(found)
      process.send({ type: 'reply', id, value: found })
    } catch (error) {
      refuse({ message: errorMessage(error) })
    }
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
