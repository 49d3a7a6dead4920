// The program inside the sandbox: receives scripts on stdin and sends their results to stdout, as JSON lines. It runs hostile
// code in its own process, so the agent doesn't trust it; the isolation is outside.

import { Console } from 'node:console'
import { writeSync } from 'node:fs'
import { createRequire as makeRequire } from 'node:module'
import { Writable } from 'node:stream'
import { format } from 'node:util'
import type { FromChild, LogLevel, Pair, RequestView, ToChild } from '../messages.ts'
import { compileScript } from './compile.ts'
import { createRequire, type Require } from './modules.ts'
import { isTooLarge, maxPassedBytes, requestMethods } from './passed-values.ts'

// Read before any script runs, which could replace them.
const { parse, stringify } = JSON
const exit = process.exit.bind(process)
const builtin: Require = process.getBuiltinModule.bind(process)

let running = 0
let region = ''
let requireFor = createRequire([], builtin)

/** Synchronous: slows down a script that floods, and shows the output of one that never ends. */
function send(message: FromChild): void {
  const bytes = Buffer.from(`${stringify(message)}\n`)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

captureConsole((level: LogLevel, msg) => send({ type: 'log', level, msg }))
removeProcessTools()
process.on('uncaughtException', (error) => fail(error))
process.on('unhandledRejection', (error) => fail(error))
readLines((line) => receive(parse(line)))
send({ type: 'ready' })

function receive(message: ToChild): void {
  if (message.type === 'begin') begin(message)
  else void run(message)
}

function begin(message: Extract<ToChild, { type: 'begin' }>): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of message.variables) process.env[name] = value
  region = message.region
  requireFor = createRequire(message.snippets, builtin, packagesOf(message.modules))
}

/** Packages of the runtime, by Node's own rules. */
function packagesOf(modules: string | null): Require | null {
  return modules === null ? null : makeRequire(`${modules}/script.js`)
}

async function run({ id, phase, script, imports, request, response }: Extract<ToChild, { type: 'run' }>) {
  running = id
  const received = response?.body
  const scope: { request: unknown; response?: unknown; REGION: string } = {
    request: requestObject(request),
    REGION: region,
    ...(phase === 'teardown' && { response }),
  }
  Object.assign(globalThis, scope)
  try {
    const module = { exports: {} }
    const find = requireFor(imports)
    const execute = compileScript(script, `${phase}.js`, find)
    await execute.call(module.exports, module.exports, find, module, `${phase}.js`, '.')
    // Scripts may replace both objects.
    const body = response === null ? null : textOf(Reflect.get(globalThis, 'response')?.body)
    const result = {
      request: requestView(Reflect.get(globalThis, 'request')),
      body: body === received ? null : body,
      variables: Object.entries(process.env).map(([name, value]): Pair => [name, value ?? '']),
    }
    if (running !== id) return
    const excess = findExcess(result)
    if (excess) throw new Error(excess)
    running = 0
    send({ type: 'done', id, ...result })
  } catch (error) {
    if (running === id) fail(error)
  }
}

function fail(error: unknown): void {
  if (running === 0) return
  const id = running
  running = 0
  send({ type: 'failed', id, message: messageOf(error).slice(0, 64_000) })
}

const positionPattern = /(?:^|\(|at (?:async )?)((?:setup|teardown|snippets\/[^\n:]*)\.js:\d+)/m

function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `thrown: ${textOf(error)}`
    const position = positionPattern.exec(`${error.stack}`)?.[1]
    return `${error.name}: ${error.message}${position ? ` (${position})` : ''}`
  } catch {
    return "a value was thrown that can't be displayed"
  }
}

function findExcess(result: { request: object; body: string | null; variables: Pair[] }): string | null {
  const parts = { request: result.request, 'response.body': result.body, 'process.env': result.variables }
  const over = Object.entries(parts).find(([, part]) => isTooLarge(part))
  return over ? `${over[0]} is larger than ${maxPassedBytes / 1024} kB` : null
}

/** Without process namespaces they would reach other processes; scripts don't need them. */
function removeProcessTools(): void {
  const names = 'kill _kill _debugProcess _debugEnd getBuiltinModule binding dlopen'.split(' ')
  for (const name of names) Object.defineProperty(process, name, { value: undefined, configurable: false })
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

/** Far more than is kept: the agent scrubs before it truncates. */
const maxLineChars = 64_000

function captureConsole(onLine: (level: LogLevel, msg: string) => void): void {
  const log = (level: LogLevel, text: string) => onLine(level, text.slice(0, maxLineChars))
  const streamOf = (level: LogLevel) =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        const text = String(chunk).replace(/\n$/, '')
        if (text !== '') log(level, text)
        done()
      },
    })
  const stdout = streamOf('INFO')
  const stderr = streamOf('ERROR')
  globalThis.console = new Console({ stdout, stderr, colorMode: false })
  const at =
    (level: LogLevel) =>
    (...values: unknown[]) =>
      log(level, format(...values))
  const [debug, info] = [at('DEBUG'), at('INFO')]
  Object.assign(console, { debug, trace: debug, log: info, info, warn: at('WARN'), error: at('ERROR') })
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true })
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true })
}

// The objects `request` and `response` of scripts, and how they are read back.
type RequestObject = Record<keyof RequestView, unknown>

const requestObject = (view: RequestView): RequestObject => ({
  ...view,
  headers: objectOf(view.headers),
  queryParameters: objectOf(view.queryParameters),
})

/** Throws with a message for the script's author. */
function requestView(given: unknown): RequestView {
  if (typeof given !== 'object' || given === null) throw new Error('request is no longer an object')
  const { url, body, headers, queryParameters, ...rest }: Partial<RequestObject> = given
  const method = String(rest.method).toUpperCase()
  if (!requestMethods.includes(method)) throw new Error(`request.method must not be ${method}`)
  return {
    method,
    url: String(url),
    body: textOf(body),
    headers: pairsOf(headers, 'headers'),
    queryParameters: pairsOf(queryParameters, 'queryParameters'),
  }
}

/** Objects are serialized as JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A repeated name has a list of values. */
function objectOf(pairs: readonly Pair[]): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]))
}

/** Accepts objects, and lists of {key, value} as in the check's settings. */
function pairsOf(given: unknown, field: string): Pair[] {
  if (given === null || given === undefined) return []
  if (typeof given !== 'object') throw new Error(`request.${field} is no longer an object`)
  const entries: [string, unknown][] = Array.isArray(given)
    ? given.map((pair) => [String(pair?.key ?? ''), pair?.value])
    : Object.entries(given)
  return entries.flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null)
      .map((one): Pair => [name, textOf(one)]),
  )
}
