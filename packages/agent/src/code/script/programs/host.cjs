// The process that a script runs in. It starts before the script is known and loads what its style needs: Playwright for plain
// scripts, also the test runner and a worker of it for tests, and on request a browser in the process that will launch one. That is
// most of the work of `npx playwright test`. It serves one run, with the genuine runner, by its command line.
'use strict'
require('./compile-cache.cjs').enable()
// Before Playwright: some versions keep a reference to `spawn`.
const spareBrowser = require('./spare-browser.cjs')
const childProcess = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const compiled = require('./compiled.cjs')
const idle = require('./idle.cjs')
const { deferUnused, load, loadRunner } = require('./load-ahead.cjs')
const { modules, notes, work } = require('./paths.cjs')
const { loadScript } = require('./plain-script.cjs')
const workerProgram = path.join(__dirname, 'worker.cjs')
const fork = childProcess.fork

const [style, browser] = process.argv.splice(2)
let spare = null
let usesBrowser = true

/** Why parts can't be loaded ahead. The run then starts more slowly, with the same results. */
const coldReasons = []

async function preload() {
  require.resolve(path.join(modules, '@playwright/test'))
  deferUnused()
  coldReasons.push(...require('./instrument.cjs').instrument(modules))
  if (style !== 'test') {
    if (browser) await spareBrowser.start(load('playwright-core')).catch(() => {})
    return
  }
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc']
  spare = fork(workerProgram, browser ? [browser] : [], { env: process.env, stdio, detached: false })
  coldReasons.push(...loadRunner())
  await waitForSpare()
}

async function waitForSpare() {
  let stderr = ''
  spare.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const isReady = await new Promise((settle) => {
    spare.once('message', () => settle(true))
    spare.once('exit', () => settle(false))
  })
  spare.stderr.removeAllListeners('data')
  if (isReady) return
  spare = null
  const reason = stderr.split('\n').find((line) => /Error/.test(line))
  coldReasons.push(reason ?? 'a worker of the test runner ended while it was loaded')
}

/** The runner forks its workers: it gets the spare one first. */
function provideWorkers() {
  childProcess.fork = (program, ...given) => {
    const [args, options = {}] = Array.isArray(given[0]) ? given : [[], given[0]]
    if (!String(program).startsWith(modules)) return fork(program, args, options)
    const { env = process.env, stdio, execArgv, serialization } = options
    // Options that the spare worker doesn't have.
    const isOrdinary = !execArgv && !serialization && Array.isArray(stdio) && stdio[3] === 'ipc'
    if (!isOrdinary && spare) dropSpare()
    const worker = takeSpare(stdio) ?? fork(workerProgram, { ...options, detached: false })
    worker.send({ method: '__vedette_start__', program, args, env, cwd: process.cwd(), usesBrowser })
    return worker
  }
}

function takeSpare(stdio) {
  if (!spare?.connected) return null
  const worker = spare
  spare = null
  for (const [index, name] of [undefined, 'stdout', 'stderr'].entries()) {
    if (name && stdio[index] === 'inherit') worker[name].pipe(process[name])
    else if (name && stdio[index] === 'ignore') worker[name].resume()
  }
  return worker
}

function dropSpare() {
  if (spare) spare.kill('SIGKILL')
  spare = null
}

/** The program of `npx playwright test`, which ends the process itself. */
async function runTests({ config, file, hasEsModules, compiles }) {
  provideWorkers()
  if (compiles) compiled.send([config, `${__dirname}/reporter.cjs`, ...compiles])
  if (!hasEsModules && hasLoaderThread()) process.env.PW_DISABLE_TS_ESM ??= '1'
  process.argv.splice(0, process.argv.length, 'node', 'playwright', 'test', `--config=${config}`, file)
  load('@playwright/test/cli.js')
  return new Promise(() => {})
}

/**
 * Playwright 1.38 to 1.59 start a thread for ES modules in TypeScript, which loads the compiler again, in the runner and in each
 * worker: 1.2 s of CPU. Later versions need no thread, and don't compile without their hooks.
 */
function hasLoaderThread() {
  return fs.existsSync(path.join(modules, 'playwright/lib/common/esmLoaderHost.js'))
}

async function runPlain(order) {
  dropSpare()
  idle.watch(load('playwright-core'), modules)
  const loaded = await loadScript(order)
  // A script without imports and exports is wrapped: wait for its top-level awaits.
  await (loaded && (loaded.default ?? loaded).vedetteDone)
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
  usesBrowser = order.usesBrowser
  // Tests launch browsers in a worker.
  if (!usesBrowser || order.mode === 'test') spareBrowser.drop()
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
