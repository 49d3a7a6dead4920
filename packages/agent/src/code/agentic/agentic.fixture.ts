// For tests: a cell without walls, a model that says what it is told to, and a shop that can be changed on purpose.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { findBrowsers } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { findRuntime } from '../../runtimes/find-runtime.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, CellEnd, CellProgram, OpenCell, RunningProgram } from '../../sandbox/cell.ts'
import type { CodeContext, CodeOutcome } from '../code-run.ts'
import type { ModelMessage, ModelSettings } from './model.ts'

/** The runtime that the suite installs once for all tests. */
export function testRuntime(): InstalledRuntime {
  const shared = fileURLToPath(new URL('../../../../../node_modules/.vedette-runtimes', import.meta.url))
  const found = findRuntime('2026.04', shared)
  if (!found) throw new Error(`The runtime 2026.04 is not installed in ${shared}: npm test does that`)
  return found
}

export async function testBrowsers(runtime: InstalledRuntime): Promise<BrowsersFolder> {
  return layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules/playwright-core'),
    into: await mkdtemp(join(tmpdir(), 'vedette-agentic-browsers-')),
    browserArgs: [],
    programs: findBrowsers({}),
  })
}

/** Processes of this machine in a folder of their own: what runs in them is ours. */
export const openPlainCell: OpenCell = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vedette-agentic-cell-'))
  const running = new Set<RunningProgram>()
  const cell: Cell = {
    folder,
    work: folder,
    handOver: async () => {},
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TZ: 'UTC' },
    level: 'fallback',
    start(program) {
      const started = startProgram(program)
      running.add(started)
      return started
    },
    connectionFailures: () => [],
    async end() {
      for (const program of running) program.kill()
      await Promise.all([...running].map(({ ended }) => ended))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  return cell
}

function startProgram({ argv: [command = '', ...args], env, cwd, onOutput }: CellProgram): RunningProgram {
  const child = spawn(command, args, { env, cwd, detached: true, stdio: 'pipe' })
  child.stdout.on('data', (chunk) => onOutput?.('stdout', chunk))
  child.stderr.on('data', (chunk) => onOutput?.('stderr', chunk))
  child.stdin.on('error', () => undefined)
  const { promise: ended, resolve } = Promise.withResolvers<CellEnd>()
  child.once('close', (exitCode, signal) =>
    resolve({ exitCode, signal, reason: signal === null ? 'exited' : 'killed' }),
  )
  return {
    write: (data) => void child.stdin.write(data),
    closeInput: () => void child.stdin.end(),
    kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    },
    ended,
  }
}

/** The genuine test runner on a script, with its JSON report. */
export async function replayPlainly(
  runtime: InstalledRuntime,
  browsers: BrowsersFolder,
  script: string,
  job: Pick<Job, 'variables'>,
): Promise<CodeOutcome> {
  const cell = await openPlainCell({} as Parameters<OpenCell>[0], new AbortController().signal)
  await writeFile(join(cell.folder, 'script.spec.ts'), script)
  const report = join(cell.folder, 'report.json')
  const config = { reporter: [['json', { outputFile: report }]], retries: 0 }
  await writeFile(join(cell.folder, 'playwright.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
  await writeFile(join(cell.folder, 'package.json'), '{}')
  await symlink(join(runtime.folder, 'node_modules'), join(cell.folder, 'node_modules'))
  let output = ''
  const program = cell.start({
    argv: [join(runtime.folder, runtime.node), 'node_modules/@playwright/test/cli.js', 'test'],
    env: { ...cell.environment, ...job.variables, PLAYWRIGHT_BROWSERS_PATH: browsers.folder },
    cwd: cell.folder,
    onOutput: (_stream, chunk) => {
      output += chunk
    },
  })
  const { exitCode } = await program.ended
  const failure =
    exitCode === 0 ? null : ({ kind: 'script', message: 'the script failed', phase: 'judge' } as const)
  return {
    outcome: failure ? 'failed' : 'passed',
    failure,
    responseTimeMs: 1,
    metrics: {},
    sslDaysRemaining: null,
    detail: {},
    log: [{ time: 0, msg: output, level: 'INFO' }],
    files: [{ type: 'report', name: 'report.json', path: report, contentType: 'application/json' }],
    foundSecrets: [],
    release: () => cell.remove(),
  }
}

interface Asked {
  headers: Record<string, unknown>
  body: { model: string; messages: ModelMessage[]; tools: { function: { name: string } }[] }
}

/** What the model answers with: tool calls, words, or a whole HTTP answer. */
export type Turn =
  | [tool: string, args: object | string][]
  | string
  | { status: number; body: string }
  | ((asked: Asked) => Turn)

export interface ScriptedModel {
  settings: ModelSettings
  asked: Asked[]
  /** Next turns; when they run out the model has nothing to say. */
  turns: Turn[]
  close(): Promise<void>
}

export async function startModel(turns: Turn[] = []): Promise<ScriptedModel> {
  const asked: Asked[] = []
  const model = { turns }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
        response.writeHead(404).end()
        return
      }
      const one: Asked = { headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) }
      asked.push(one)
      const { status, body } = answerOf(model.turns.shift() ?? '', one)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  const port = await listen(server)
  return {
    settings: { url: `http://127.0.0.1:${port}/v1`, name: 'test-model', apiKey: 'sk-model-key' },
    asked,
    get turns() {
      return model.turns
    },
    set turns(next: Turn[]) {
      model.turns = next
    },
    close: () => closed(server),
  }
}

function answerOf(turn: Turn, asked: Asked): { status: number; body: string } {
  if (typeof turn === 'function') return answerOf(turn(asked), asked)
  if (typeof turn === 'object' && 'status' in turn) return turn
  const calls = typeof turn === 'string' ? [] : turn
  const tool_calls = calls.map(([name, args]) => ({
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
  const message = {
    role: 'assistant',
    content: typeof turn === 'string' ? turn : null,
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
  return { status: 200, body: JSON.stringify({ id: 'chat', choices: [{ index: 0, message }], usage }) }
}

export interface Shop {
  url: string
  /** What the button says. */
  buyLabel: string
  isBroken: boolean
  close(): Promise<void>
}

export async function startShop(): Promise<Shop> {
  const state = { buyLabel: 'Buy', isBroken: false }
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(pageOf(new URL(request.url ?? '/', 'http://shop'), state))
  })
  const port = await listen(server)
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, close: () => closed(server) })
}

function pageOf(
  { pathname, searchParams }: URL,
  { buyLabel, isBroken }: { buyLabel: string; isBroken: boolean },
) {
  if (pathname === '/account') {
    const user = searchParams.get('user') ?? ''
    return `<title>Account</title><h1>Hello ${user}</h1><p>Your password is ${searchParams.get('password')}</p>`
  }
  if (pathname === '/login') {
    return `<title>Sign in</title><form action="/account">
      <label>Name <input name="user"></label><label>Password <input name="password" type="password"></label>
      <button>Sign in</button></form>`
  }
  const says = isBroken ? 'Sorry, the cart is broken' : 'Cart: 1 pen'
  return `<title>The pen shop</title><h1>Pens</h1>
    <button onclick="document.querySelector('output').textContent = '${says}'">${buyLabel}</button>
    <output></output>`
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((settle) => server.close(settle))
}

export function agenticJob(prompt: string, more: Partial<Job> = {}): Job {
  return {
    token: 'token',
    runId: randomUUID(),
    attempt: 1,
    resultId: randomUUID(),
    checkId: randomUUID(),
    checkType: 'AGENTIC',
    scheduledAt: Date.now(),
    location: 'eu-west-1',
    check: { checkType: 'AGENTIC', name: 'Shop in words', prompt },
    variables: {},
    secrets: [],
    groupBaseUrl: null,
    environmentUrl: null,
    proxyUrl: null,
    clientCertificates: [],
    setup: [],
    teardown: [],
    snippets: [],
    runtimeId: '2026.04',
    source: 'schedule',
    accountId: randomUUID(),
    refreshCache: false,
    agenticScript: null,
    ...more,
  }
}

export function codeContext(signal: AbortSignal = new AbortController().signal): CodeContext {
  return {
    signal,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    network: networkPolicy({ mode: 'default' }),
    userAgent: 'Vedette/test',
  }
}
