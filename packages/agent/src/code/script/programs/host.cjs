// The process that a script runs in. It starts before the script is known and loads the runtime's Playwright, a worker of the
// test runner and, on request, a browser: the work of the first seconds of `npx playwright test`. It serves one run, with the
// genuine runner, called as its command line calls it.
'use strict'
const childProcess = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const spareBrowser = require('./spare-browser.cjs')
const { handOver } = require('./hand-over.cjs')
const idle = require('./idle.cjs')
const { modules, notes, work } = require('./paths.cjs')
const workerProgram = path.join(__dirname, 'worker.cjs')
const fork = childProcess.fork

/** Loads a file of the runtime's packages, bypassing their `exports`. */
const load = (file) => require(path.join(modules, file))

const [wantsBrowser] = process.argv.splice(2)
let spare = null

function forkWorker(env, stdio) {
  return fork(workerProgram, { env, stdio, detached: false })
}

/** Why parts can't be loaded ahead. The run then starts cold: more slowly, by public entry points, with the same results. */
const coldReasons = []

function tryAhead(step) {
  try {
    return step()
  } catch (error) {
    coldReasons.push(String(error?.message ?? error).split('\n')[0])
    return null
  }
}

async function preload() {
  // Required for warm and cold starts.
  require.resolve(path.join(modules, '@playwright/test'))
  tryAhead(() => require('./instrument.cjs').instrument(modules))
  for (const file of ['program.js', 'transform/transform.js', 'runner/workerHost.js', 'reporters/json.js'])
    tryAhead(() => load(`playwright/lib/${file}`))
  if (coldReasons.length === 0) await preloadWorker()
  if (wantsBrowser) await spareBrowser.start(load('playwright-core')).catch(() => {})
}

async function preloadWorker() {
  spare = forkWorker({ ...process.env, FORCE_COLOR: '1' }, ['ignore', 'pipe', 'pipe', 'ipc'])
  let stderr = ''
  spare.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await require('./warm.cjs').warm(load)
  const isWarm = await new Promise((settle) => {
    spare.on('message', ({ method }) => method === '__vedette_warm__' && settle(true))
    spare.once('exit', () => settle(false))
  })
  spare.stderr.removeAllListeners('data')
  if (isWarm) return
  spare = null
  const reason = stderr.split('\n').find((line) => /Error/.test(line))
  coldReasons.push(reason ?? 'a worker of the test runner ended while it was loaded')
}

/** The runner forks its workers: it gets the spare one first. */
function provideSpareWorker() {
  childProcess.fork = (program, args, options) => {
    const given = Array.isArray(args) ? options : args
    if (coldReasons.length > 0)
      return fork(program, Array.isArray(args) ? args : [], { ...given, ...withObserver(given) })
    if (!/playwright[\\/]lib[\\/]common[\\/]process(\.js)?$/.test(String(program)))
      return fork(program, args, options)
    if (!spare?.connected) return forkWorker(given.env, given.stdio)
    const worker = spare
    spare = null
    worker.send({ method: '__vedette_start__', env: given.env, cwd: process.cwd() })
    handOver(worker)
    // Replay the worker's `ready`, sent before the runner attached.
    process.nextTick(() => worker.emit('message', { method: 'ready' }))
    return worker
  }
}

/** Options that observe a worker that starts cold. */
function withObserver({ execArgv = process.execArgv } = {}) {
  return { execArgv: [...execArgv, '--require', path.join(__dirname, 'observe.cjs')] }
}

async function runTests({ config, file }) {
  provideSpareWorker()
  const args = ['node', 'playwright', 'test', `--config=${config}`, file]
  if (coldReasons.length === 0) return load('playwright/lib/program.js').program.parseAsync(args)
  // The program of `npx playwright test`, which ends the process itself.
  process.argv.splice(0, process.argv.length, ...args)
  load('@playwright/test/cli.js')
  return new Promise(() => {})
}

async function runPlain({ file }) {
  dropSpare()
  idle.watch(load('playwright-core'), modules)
  const { requireOrImport } = loadCompiler()
  const loaded = await requireOrImport(file).catch((error) => {
    // Top-level imports and awaits need an ES module. Nothing of the script has run yet.
    if (error?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error
    const module = `${file.replace(/\.[cm]?[jt]sx?$/, '')}.mts`
    fs.copyFileSync(file, module)
    return requireOrImport(module)
  })
  // A script without imports and exports is wrapped: wait for its top-level awaits.
  await (loaded && (loaded.default ?? loaded).vedetteDone)
}

/** Paths of the compiler in Playwright 1.38 and later, 1.32, 1.28. */
const compilers = [
  'playwright/lib/transform/transform.js',
  '@playwright/test/lib/common/transform.js',
  '@playwright/test/lib/transform.js',
]

/** Without a compiler, Node handles TypeScript. */
function loadCompiler() {
  for (const file of compilers) {
    try {
      const { requireOrImport, installTransform } = load(file)
      if (requireOrImport) return { requireOrImport }
      installTransform()
      break
    } catch {
      // Not in this version.
    }
  }
  return { requireOrImport: async (file) => require(file) }
}

function dropSpare() {
  if (spare) spare.kill('SIGKILL')
  spare = null
}

function fail(error) {
  const { message, stack } =
    error instanceof Error ? error : { message: `thrown: ${String(error)}`, stack: '' }
  fs.writeFileSync(`${notes}/error.json`, JSON.stringify({ message, stack: String(stack) }))
  process.exit(1)
}

function begin(order) {
  for (const name of Object.keys(process.env)) if (!order.keep.includes(name)) delete process.env[name]
  Object.assign(process.env, order.env)
  process.chdir(work)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  if (!order.usesBrowser) spareBrowser.drop()
  const run = order.mode === 'test' ? runTests(order) : runPlain(order)
  run
    .then(() => require('./instrument.cjs').settle(), fail)
    .then(() => order.mode === 'plain' && endWhenIdle())
}

function endWhenIdle() {
  idle.endWhenIdle((kinds) => {
    process.stderr.write(
      `The script left handles open (${kinds.join(', ')}): the run was ended when nothing was pending any more. Close browsers and servers, clear intervals.\n`,
    )
    void require('./instrument.cjs')
      .settle()
      .finally(() => process.exit())
  })
}

preload().then(
  () =>
    process.stdout.write(`${coldReasons.map((reason) => `\u0000cold ${reason}\n`).join('')}\u0000ready\n`),
  (error) => {
    process.stderr.write(`${error?.message ?? error}\n`)
    process.exit(1)
  },
)
let text = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  text += chunk
  const end = text.indexOf('\n')
  if (end === -1) return
  process.stdin.removeAllListeners('data')
  process.stdin.destroy()
  begin(JSON.parse(text.slice(0, end)))
})
