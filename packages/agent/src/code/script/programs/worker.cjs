// A worker process of the test runner that starts before its test is known. It loads what every worker needs, then waits for the
// runner, and becomes the program that the runner forks.
'use strict'
require('./compile-cache.cjs').enable()
// Before Playwright: some versions keep a reference to `spawn`.
const spareBrowser = require('./spare-browser.cjs')
const { modules } = require('./paths.cjs')
const { deferUnused, load } = require('./load-ahead.cjs')

deferUnused()
require('./instrument.cjs').instrument(modules)
load('@playwright/test')

function begin({ method, program, args, env, cwd, usesBrowser }) {
  if (method !== '__vedette_start__') return
  process.off('message', begin)
  if (!usesBrowser) spareBrowser.drop()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv.splice(1, process.argv.length, program, ...args)
  require(program)
}
process.on('message', begin)
const started =
  process.argv[2] === 'browser' ? spareBrowser.start(load('playwright-core')) : Promise.resolve()
started.catch(() => {}).then(() => process.send({ method: '__vedette_ready__' }))
