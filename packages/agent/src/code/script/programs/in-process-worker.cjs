// The first worker that the test runner forks, in the runner's own process: Playwright is loaded once. It ends with the first failed
// test. Later workers are processes, so that the tests after it start afresh.
'use strict'
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')

const { modules } = require('./paths.cjs')

const { exit, stdout, stderr } = process
const output = { stdout: stdout.write, stderr: stderr.write }
/** Events that a worker listens to. Without a listener, errors of the script would end the runner. */
const events = ['message', 'disconnect', 'SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection']

/** Programs of workers in Playwright 1.38 to 1.59, 1.60 and later, 1.32. */
const programs = [
  'playwright/lib/common/process.js',
  'playwright/lib/worker/workerProcessEntry.js',
  '@playwright/test/lib/common/process.js',
].map((file) => path.join(modules, file))

/** The runner forks others too: itself, with other options of Node. */
exports.isWorker = (program) => programs.includes(program)

/** Why the first worker of this version can't run here, if so. */
exports.unsupported = () =>
  programs.some((program) => fs.existsSync(program))
    ? []
    : ['tests run in a process that is started when they are known']

/** Returns what the runner uses of a child process. */
exports.start = (program, env) => {
  const worker = new EventEmitter()
  const listeners = new Map(events.map((name) => [name, process.listeners(name)]))
  const handles = new Set(process._getActiveHandles())
  const cwd = process.cwd()
  let hasEnded = false
  let isStopping = false

  worker.send = (message) => {
    isStopping ||= message.method === '__stop__'
    deliver(message, (copy) => hasEnded || process.emit('message', copy))
  }
  process.send = (message) => deliver(message, (copy) => worker.emit('message', copy))
  process.exit = (code = process.exitCode) => {
    if (!hasEnded) end(Number(code ?? 0))
    // The runner's request to stop is followed by nothing else. A script isn't continued.
    if (!isStopping) throw new Error('process.exit was called')
  }

  function end(code) {
    hasEnded = true
    Object.assign(process, { exit, send: undefined })
    stdout.write = output.stdout
    stderr.write = output.stderr
    process.chdir(cwd)
    for (const [name, kept] of listeners)
      for (const listener of process.listeners(name))
        if (!kept.includes(listener)) process.off(name, listener)
    // What is left of the script fails unnoticed, as if its process had ended.
    process.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
    // Its servers must not keep their ports from the next worker.
    for (const handle of process._getActiveHandles()) if (!handles.has(handle)) close(handle)
    setImmediate(() => worker.emit('exit', code, null))
  }

  Object.assign(process.env, env)
  setImmediate(() => require(program))
  return worker
}

/** Copied as between processes, and never received at once. */
function deliver(message, receive) {
  const text = JSON.stringify(message)
  setImmediate(() => receive(JSON.parse(text)))
}

function close(handle) {
  try {
    if (typeof handle.destroy === 'function') handle.destroy()
    else if (typeof handle.close === 'function') handle.close()
  } catch {
    // It is closed already.
  }
}
