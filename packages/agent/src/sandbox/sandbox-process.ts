// The agent's side of one child. Its output is untrusted: lines and total are limited, and an invalid message ends it.
import type { ChildProcess } from 'node:child_process'
import type { ScriptLimits } from './limits.ts'
import { LineReader } from './line-reader.ts'
import { type FromChild, parseFromChild, type ToChild } from './messages.ts'

/** Why a child ended. */
export type ProcessEnd =
  | 'killed'
  | 'flooded'
  | 'tampered'
  | { exitCode: number | null; signal: string | null; stderr: string }

const maxStderrChars = 2_000

export class SandboxProcess {
  readonly #child: ChildProcess
  readonly #limits: ScriptLimits
  readonly #lines: LineReader
  #outputBytes = 0
  #stderr = ''
  #end: ProcessEnd | null = null
  #onMessage: (message: FromChild) => void = () => {}
  #onEnd: ((end: ProcessEnd) => void)[] = []

  constructor(child: ChildProcess, limits: ScriptLimits) {
    this.#child = child
    this.#limits = limits
    this.#lines = new LineReader(limits.maxLineBytes)
    child.stdin?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stdout?.on('error', () => {})
    child.stderr?.on('data', (chunk: Buffer) => this.#readStderr(chunk))
    child.stderr?.on('error', () => {})
    child.on('error', (error) => this.#finish({ exitCode: null, signal: null, stderr: error.message }))
    // Not 'exit': its last output may still be buffered.
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

  /** Called at once if it has ended already. */
  onEnd(listener: (end: ProcessEnd) => void): void {
    if (this.#end !== null) listener(this.#end)
    else this.#onEnd.push(listener)
  }

  send(message: ToChild): void {
    if (this.#end === null) this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  /** The output of one script doesn't count for the next. */
  resetOutputCount(): void {
    this.#outputBytes = 0
  }

  kill(): void {
    this.#finish('killed')
  }

  #read(chunk: Buffer): void {
    if (this.#end !== null || !this.#countOutput(chunk.length)) return
    for (const line of this.#lines.push(chunk)) {
      const message = parseFromChild(line, this.#limits)
      // Our program captures stdout: anything else was written around it.
      if (message) this.#onMessage(message)
      else this.#finish('tampered')
      if (this.#end !== null) return
    }
    if (this.#lines.isTooLong) this.#finish('flooded')
  }

  #readStderr(chunk: Buffer): void {
    if (this.#end !== null || !this.#countOutput(chunk.length)) return
    if (this.#stderr.length < maxStderrChars)
      this.#stderr += chunk.toString().slice(0, maxStderrChars - this.#stderr.length)
  }

  #countOutput(bytes: number): boolean {
    this.#outputBytes += bytes
    if (this.#outputBytes <= this.#limits.maxOutputBytes) return true
    this.#finish('flooded')
    return false
  }

  #finish(end: ProcessEnd): void {
    if (this.#end !== null) return
    this.#end = end
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
      // It has ended already.
    }
  }
}
