// Loads Playwright before the script is known. Only `@playwright/test` is required; files that are not part of its public surface
// are loaded for speed, and their absence is reported.
'use strict'
const fs = require('node:fs')
const { Module } = require('node:module')
const path = require('node:path')

const { modules } = require('./paths.cjs')

/** Loads a file of the runtime's packages, bypassing their `exports`. */
const load = (file) => require(path.join(modules, file))
exports.load = load

/** Paths in Playwright 1.38 and later, 1.32, 1.28. */
const compilers = [
  'playwright/lib/transform/babelBundle.js',
  '@playwright/test/lib/common/babelBundle.js',
  '@playwright/test/lib/babelBundle.js',
]

/** What the command line of the runner loads. Returns why something can't be loaded ahead. */
exports.loadRunner = () => {
  const reasons = []
  // Before 1.42 the command line is one file that also runs.
  tryFirst(['playwright/lib/program.js'], load, reasons)
  if (!isDeferred) tryFirst(compilers, (file) => compileAhead(load(file)), reasons)
  return reasons
}

/** V8 compiles the compiler's functions when they are first called. */
function compileAhead({ babelTransform }) {
  babelTransform('import a from "b"; const c: number = a', '/work/ahead.ts', false, [], [])
}

/** The compiler itself, which Playwright 1.58 loads in every process. */
const compilerBundle = 'playwright/lib/transform/babelBundleImpl.js'

let isDeferred = false

/**
 * A worker gets the code that its runner has compiled, and the runner what an earlier run has. The compiler, a third of the loading of
 * both, is loaded if it is used after all.
 */
exports.deferCompiler = () => {
  isDeferred = defer(compilerBundle)
}

/** Until one of its exports is used, the module consists of stand-ins. False: the file doesn't exist. */
function defer(file) {
  const filename = path.join(modules, file)
  if (!fs.existsSync(filename)) return false
  let genuine = null
  const loaded = () => {
    if (genuine === null) {
      delete require.cache[filename]
      genuine = require(filename)
    }
    return genuine
  }
  const standIn = (name) =>
    // A class can be called and constructed by its proxy.
    new Proxy(class {}, {
      apply: (_target, self, args) => Reflect.apply(loaded()[name], self, args),
      construct: (_target, args) => Reflect.construct(loaded()[name], args),
      get: (_target, key) => loaded()[name][key],
      has: (_target, key) => key in loaded()[name],
    })
  const module = new Module(filename)
  module.filename = filename
  module.loaded = true
  module.exports = new Proxy(
    {},
    {
      get: (_target, name) => (genuine || typeof name === 'symbol' ? loaded()[name] : standIn(name)),
      has: (_target, name) => name in loaded(),
      ownKeys: () => Reflect.ownKeys(loaded()),
      getOwnPropertyDescriptor: (_target, name) => {
        const found = Reflect.getOwnPropertyDescriptor(loaded(), name)
        return found && { ...found, configurable: true }
      },
    },
  )
  require.cache[filename] = module
  return true
}
exports.defer = defer

function tryFirst(files, use, reasons) {
  const failures = []
  for (const file of files) {
    try {
      return use(file)
    } catch (error) {
      failures.push(String(error?.message ?? error).split('\n')[0])
    }
  }
  reasons.push(failures[0])
}
