// A worker of the test runner that is forked before its test is known: loads everything, including the genuine worker, which
// then waits for the runner.
'use strict'
const path = require('node:path')

// Must be loaded before Playwright.
const { receive } = require('./hand-over.cjs')
const { modules } = require('./paths.cjs')
const load = (file) => require(path.join(modules, file))

require('./instrument.cjs').instrument(modules)
load('playwright/lib/worker/workerMain.js')
load('playwright/lib/index.js')
load('@playwright/test')
require('./warm.cjs')
  .warm(load)
  .then(() => process.send({ method: '__vedette_warm__' }))

process.on('message', (message, stream) => {
  if (message.method === '__vedette_browser__') receive(message, stream)
  if (message.method !== '__vedette_start__') return
  for (const name of Object.keys(process.env)) if (!(name in message.env)) delete process.env[name]
  Object.assign(process.env, message.env)
  process.chdir(message.cwd)
})
