// The program inside the sandbox: scripts come in by stdin, what they leave goes out by stdout, one JSON text per line.
// It runs hostile code in its own process and defends nothing: the agent believes none of it, and the walls are outside.
import { writeSync } from 'node:fs'
import { createRequire as makeRequire } from 'node:module'
import type { FromChild, LogLevel, Pair, ResponseView, ToChild } from '../messages.ts'
import { compileScript } from './compile.ts'
import { captureConsole } from './console.ts'
import { createRequire, type Require } from './modules.ts'
import { routeConnections } from './network.ts'
import { sizeOf } from './size-of.ts'
import { requestObject, requestView, textOf } from './views.ts'

// Taken before any script runs: one that replaces JSON.stringify would only spoil its own result.
const { parse, stringify } = JSON
const exit = process.exit.bind(process)
const builtin = process.getBuiltinModule.bind(process) as (name: string) => unknown

const pending = new Map<number, { settle(value: unknown): void; fail(error: Error): void }>()
let asked = 0
let running = 0
let region = ''
let maxPassedBytes = 0
let find: Require = createRequire([], builtin)

/** Waits until it is written: a script that floods is slowed down, and one that never ends has its lines shown. */
function say(message: FromChild): void {
  const bytes = Buffer.from(`${stringify(message)}\n`)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

function ask(
  question:
    | { type: 'open'; host: string; port: number; family: number }
    | { type: 'resolve'; host: string; family: number },
) {
  const id = ++asked
  return new Promise<unknown>((settle, fail) => {
    pending.set(id, { settle, fail })
    say({ ...question, id })
  })
}

captureConsole((level: LogLevel, msg) => say({ type: 'log', level, msg }))
routeConnections({
  open: (host, port, family) => ask({ type: 'open', host, port, family }) as Promise<string>,
  resolve: (host, family) => ask({ type: 'resolve', host, family }) as Promise<string[]>,
})
withdrawTools()
process.on('uncaughtException', (error) => fail(error))
process.on('unhandledRejection', (error) => fail(error))
readLines((line) => receive(parse(line) as ToChild))
say({ type: 'ready' })

function receive(message: ToChild): void {
  if (message.type === 'begin') begin(message)
  else if (message.type === 'run') void run(message)
  else hear(message)
}

function hear(message: Extract<ToChild, { type: 'answer' | 'refusal' }>): void {
  const waiting = pending.get(message.id)
  pending.delete(message.id)
  if (message.type === 'answer') waiting?.settle(message.value)
  else waiting?.fail(Object.assign(new Error(message.message), { code: message.code }))
}

function begin(message: Extract<ToChild, { type: 'begin' }>): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of message.variables) process.env[name] = value
  region = message.region
  maxPassedBytes = message.maxPassedBytes
  find = createRequire(message.snippets, builtin, packagesOf(message.modules))
}

/** The runtime's own, by Node's own rules. */
function packagesOf(modules: string | null): Require | null {
  return modules === null ? null : makeRequire(`${modules}/script.js`)
}

async function run({ id, phase, script, request, response }: Extract<ToChild, { type: 'run' }>) {
  running = id
  const received = response?.body
  const scope: { request: unknown; response?: unknown; REGION: string } = {
    request: requestObject(request),
    REGION: region,
    ...(phase === 'teardown' && { response }),
  }
  Object.assign(globalThis, scope)
  const given = globalThis as typeof globalThis & { request: unknown; response: ResponseView | null }
  try {
    const module = { exports: {} }
    const body = compileScript(script, `${phase}.js`, find)
    await body.call(module.exports, module.exports, find, module, `${phase}.js`, '.')
    const left = response === null ? null : textOf(given.response?.body)
    const answer = {
      request: requestView(given.request),
      body: left === received ? null : left,
      variables: Object.entries(process.env) as Pair[],
    }
    if (running !== id) return
    const excess = tooMuch(answer)
    if (excess) throw new Error(excess)
    running = 0
    say({ type: 'done', id, ...answer })
  } catch (error) {
    if (running === id) fail(error)
  }
}

function fail(error: unknown): void {
  if (running === 0) return
  const id = running
  running = 0
  say({ type: 'failed', id, message: messageOf(error).slice(0, 64_000) })
}

const placePattern = /(?:^|\(|at (?:async )?)((?:setup|teardown|snippets\/[^\n:]*)\.js:\d+)/m

function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `thrown: ${textOf(error)}`
    const place = placePattern.exec(`${error.stack}`)?.[1]
    return `${error.name}: ${error.message}${place ? ` (${place})` : ''}`
  } catch {
    return 'something was thrown that can not be shown'
  }
}

function tooMuch(answer: { request: object; body: string | null; variables: Pair[] }): string | null {
  const parts = { request: answer.request, 'response.body': answer.body, 'process.env': answer.variables }
  const over = Object.entries(parts).find(([, part]) => sizeOf(part) > maxPassedBytes)
  return over ? `${over[0]} holds more than ${maxPassedBytes / 1024} kB` : null
}

/** Nobody needs them in a script, and on a host without process namespaces they would reach other processes. */
function withdrawTools(): void {
  for (const name of [
    'kill',
    '_kill',
    '_debugProcess',
    '_debugEnd',
    'getBuiltinModule',
    'binding',
    'dlopen',
  ]) {
    Object.defineProperty(process, name, { value: undefined, configurable: false })
  }
}

function readLines(onLine: (line: string) => void): void {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
  process.stdin.on('end', () => exit(0))
}
