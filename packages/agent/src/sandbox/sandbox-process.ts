// One child, its channel and its end. It is read as a stranger's: so many bytes a line, so many in all, and whatever is
// not one of our messages ends it.
import type { ChildProcess } from 'node:child_process'
import type { ScriptLimits } from './limits.ts'
import { type FromChild, parseFromChild, type ToChild } from './messages.ts'

/** Why a child is no more. */
export type ProcessEnd =
  | 'killed'
  | 'flooded'
  | 'tampered'
  | { exitCode: number | null; signal: string | null; stderr: string }

const maxStderrChars = 2_000

export class SandboxProcess {
  readonly #child: ChildProcess
  readonly #limits: ScriptLimits
  #rest: Buffer[] = []
  #restBytes = 0
  #saidBytes = 0
  #stderr = ''
  #end: ProcessEnd | null = null
  #onMessage: (message: FromChild) => void = () => {}
  #onEnd: ((end: ProcessEnd) => void)[] = []

  constructor(child: ChildProcess, limits: ScriptLimits) {
    this.#child = child
    this.#limits = limits
    child.stdin?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stdout?.on('error', () => {})
    child.stderr?.on('data', (chunk: Buffer) => this.#readStderr(chunk))
    child.stderr?.on('error', () => {})
    child.on('error', (error) => this.#finish({ exitCode: null, signal: null, stderr: error.message }))
    // Not 'exit': what it said last may still be on its way.
    child.on('close', (exitCode, signal) => this.#finish({ exitCode, signal, stderr: this.#stderr }))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  set onMessage(listener: (message: FromChild) => void) {
    this.#onMessage = listener
  }

  /** At once if it has ended already. */
  onEnd(listener: (end: ProcessEnd) => void): void {
    if (this.#end !== null) listener(this.#end)
    else this.#onEnd.push(listener)
  }

  send(message: ToChild): void {
    if (this.#end === null) this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  /** What one script said does not count for the next. */
  forgetSaid(): void {
    this.#saidBytes = 0
  }

  kill(): void {
    this.#finish('killed')
  }

  #read(chunk: Buffer): void {
    if (this.#end !== null || !this.#mayStillSay(chunk.length)) return
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, at)]).toString()
      this.#rest = []
      this.#restBytes = 0
      from = at + 1
      const message = parseFromChild(line, this.#limits)
      // Only ours write there: whoever else does means no good.
      if (message) this.#onMessage(message)
      else this.#finish('tampered')
      if (this.#end !== null) return
    }
    this.#rest.push(chunk.subarray(from))
    this.#restBytes += chunk.length - from
    if (this.#restBytes > this.#limits.maxLineBytes) this.#finish('flooded')
  }

  #readStderr(chunk: Buffer): void {
    if (this.#end !== null || !this.#mayStillSay(chunk.length)) return
    if (this.#stderr.length < maxStderrChars)
      this.#stderr += chunk.toString().slice(0, maxStderrChars - this.#stderr.length)
  }

  #mayStillSay(bytes: number): boolean {
    this.#saidBytes += bytes
    if (this.#saidBytes <= this.#limits.maxSaidBytes) return true
    this.#finish('flooded')
    return false
  }

  #finish(end: ProcessEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#rest = []
    this.#killGroup()
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy()
    for (const listener of this.#onEnd.splice(0)) listener(end)
  }

  #killGroup(): void {
    const { pid } = this.#child
    if (pid === undefined || (this.#child.exitCode ?? this.#child.signalCode) !== null) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It is gone already, and its number with it.
    }
  }
}
