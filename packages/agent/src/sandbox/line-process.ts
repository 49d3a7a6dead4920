// The agent's side of an untrusted program that exchanges JSON lines with it. Lines and total output are limited, and an invalid
// message ends the program.
import type { ChildProcess } from 'node:child_process'
import { LineReader } from './line-reader.ts'

/** Why a program ended. */
export type ProcessEnd =
  | 'killed'
  | 'flooded'
  | 'tampered'
  | { exitCode: number | null; signal: string | null; stderr: string }

export interface LineLimits {
  lineBytes: number
  /** Of both streams together. */
  allBytes: number
}

const maxStderrChars = 4_000

export class LineProcess<M> {
  readonly #child: ChildProcess
  readonly #parse: (line: string) => M | null
  readonly #maxBytes: number
  readonly #lines: LineReader
  #outputBytes = 0
  #stderr = ''
  #end: ProcessEnd | null = null
  #onEnd: ((end: ProcessEnd) => void)[] = []
  onMessage: (message: M) => void = () => {}

  /** `parse` returns null for an invalid message. */
  constructor(child: ChildProcess, parse: (line: string) => M | null, { lineBytes, allBytes }: LineLimits) {
    this.#child = child
    this.#parse = parse
    this.#maxBytes = allBytes
    this.#lines = new LineReader(lineBytes)
    child.stdin?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stdout?.on('error', () => {})
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#count(chunk)) this.#stderr = `${this.#stderr}${chunk}`.slice(0, maxStderrChars)
    })
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

  get stderr(): string {
    return this.#stderr.trim()
  }

  /** Called at once if it has ended already. */
  onEnd(listener: (end: ProcessEnd) => void): void {
    if (this.#end !== null) listener(this.#end)
    else this.#onEnd.push(listener)
  }

  send(message: object): void {
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
    if (!this.#count(chunk)) return
    for (const line of this.#lines.push(chunk)) {
      const message = this.#parse(line)
      if (message === null) this.#finish('tampered')
      else this.onMessage(message)
      if (this.#end !== null) return
    }
    if (this.#lines.isTooLong) this.#finish('flooded')
  }

  #count(chunk: Buffer): boolean {
    if (this.#end !== null) return false
    this.#outputBytes += chunk.length
    if (this.#outputBytes <= this.#maxBytes) return true
    this.#finish('flooded')
    return false
  }

  #finish(end: ProcessEnd): void {
    if (this.#end !== null) return
    this.#end = end
    const { pid } = this.#child
    if (pid !== undefined && (this.#child.exitCode ?? this.#child.signalCode) === null) {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy()
    for (const listener of this.#onEnd.splice(0)) listener(end)
  }
}
