// The agent's side of an untrusted program that exchanges JSON lines with it. Lines and total output are limited, and an invalid
// message ends the program.
import type { ChildProcess } from 'node:child_process'
import { LineReader } from './line-reader.ts'
import { killNow } from './processes.ts'

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
  readonly #end = Promise.withResolvers<ProcessEnd>()
  readonly ended = this.#end.promise
  #outputBytes = 0
  #stderr = ''
  #hasEnded = false
  onMessage: (message: M) => void = () => {}

  /** `parse` returns null for an invalid message. */
  constructor(child: ChildProcess, parse: (line: string) => M | null, { lineBytes, allBytes }: LineLimits) {
    this.#child = child
    this.#parse = parse
    this.#maxBytes = allBytes
    this.#lines = new LineReader(lineBytes)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#count(chunk)) this.#stderr = `${this.#stderr}${chunk}`.slice(0, maxStderrChars)
    })
    child.on('error', (error) => this.#finish({ exitCode: null, signal: null, stderr: error.message }))
    // Not 'exit': its last output may still be buffered.
    child.on('close', (exitCode, signal) => this.#finish({ exitCode, signal, stderr: this.#stderr }))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get stderr(): string {
    return this.#stderr.trim()
  }

  send(message: object): void {
    if (!this.#hasEnded) this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
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
      if (this.#hasEnded) return
    }
    if (this.#lines.isTooLong) this.#finish('flooded')
  }

  #count(chunk: Buffer): boolean {
    if (this.#hasEnded) return false
    this.#outputBytes += chunk.length
    if (this.#outputBytes <= this.#maxBytes) return true
    this.#finish('flooded')
    return false
  }

  #finish(end: ProcessEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { pid, exitCode, signalCode, stdin, stdout, stderr } = this.#child
    if (pid !== undefined && (exitCode ?? signalCode) === null) killNow(-pid)
    for (const stream of [stdin, stdout, stderr]) stream?.destroy()
    this.#end.resolve(end)
  }
}
