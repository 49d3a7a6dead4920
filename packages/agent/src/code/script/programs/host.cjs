// The process that a script runs in. It starts before the script is known and loads what its style needs: Playwright for plain
// scripts, also the test runner for tests, and on request it starts a browser. That is most of the work of `npx playwright test`.
// It serves one run, with the genuine runner, by its command line.
'use strict'
require('./compile-cache.cjs').enable()
// Before Playwright: some versions keep a reference to `spawn`.
const spareBrowser = require('./spare-browser.cjs')
const childProcess = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const compiled = require('./compiled.cjs')
const idle = require('./idle.cjs')
const inProcessWorker = require('./in-process-worker.cjs')
const { deferUnused, load, loadRunner } = require('./load-ahead.cjs')
const { modules, notes, work } = require('./paths.cjs')
const { loadScript } = require('./plain-script.cjs')
const fork = childProcess.fork

const [style, browser] = process.argv.splice(2)

/** Why parts can't be loaded ahead. The run then starts more slowly, with the same results. */
const coldReasons = []

async function preload() {
  require.resolve(path.join(modules, '@playwright/test'))
  deferUnused()
  coldReasons.push(...require('./instrument.cjs').instrument(modules))
  if (style === 'test') coldReasons.push(...loadRunner(), ...inProcessWorker.unsupported())
  if (browser) await spareBrowser.start(load('playwright-core')).catch(() => {})
}

/** The runner forks its workers: the first one runs in this process. */
function provideWorkers() {
  let hasWorker = false
  childProcess.fork = (program, ...given) => {
    const [args, options = {}] = Array.isArray(given[0]) ? given : [[], given[0]]
    if (!String(program).startsWith(modules)) return fork(program, args, options)
    if (hasWorker || !inProcessWorker.isWorker(program)) {
      // Another process can't take it.
      spareBrowser.drop()
      return fork(path.join(__dirname, 'worker.cjs'), [program, ...args], { ...options, detached: false })
    }
    hasWorker = true
    return inProcessWorker.start(program, options.env)
  }
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
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
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
