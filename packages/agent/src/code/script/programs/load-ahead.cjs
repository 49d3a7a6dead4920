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
  if (!isCompilerDeferred) tryFirst(compilers, (file) => compileAhead(load(file)), reasons)
  return reasons
}

/** V8 compiles the compiler's functions when they are first called. */
function compileAhead({ babelTransform }) {
  babelTransform('import a from "b"; const c: number = a', '/work/ahead.ts', false, [], [])
}

/** The compiler itself, which Playwright 1.58 loads in every process. */
const compilerBundle = 'playwright/lib/transform/babelBundleImpl.js'

let isCompilerDeferred = false

/**
 * Parts of Playwright 1.58 that few runs use, but that every process loads: the compiler, and the tools for language models with their
 * schema library. They are half of the loading. A worker gets the code that its runner has compiled, and the runner what an
 * earlier run has. What is used after all is loaded then.
 */
exports.deferUnused = () => {
  isCompilerDeferred = defer(compilerBundle)
  for (const file of unused) defer(file)
  for (const [file, replace] of Object.entries(replacements)) defer(file, replace)
}

const unused = [
  'playwright-core/lib/mcpBundle.js',
  'playwright-core/lib/server/agent/context.js',
  'playwright-core/lib/server/agent/pageAgent.js',
  'playwright/lib/agents/generateAgents.js',
  'playwright/lib/mcp/browser/watchdog.js',
  'playwright/lib/mcp/sdk/exports.js',
  'playwright/lib/mcp/test/testBackend.js',
]

/** Functions of such parts that every run calls, as they are for most runs. */
const replacements = {
  /** The schema library isn't needed for tests without tags and annotations. */
  'playwright/lib/common/validators.js': (genuine) => ({
    validateTestDetails: (details, location) =>
      isEmptyObject(details)
        ? { annotations: [], tags: [], location }
        : genuine().validateTestDetails(details, location),
  }),
  /** Receives messages of a debugger. */
  'playwright/lib/mcp/test/browserBackend.js': (genuine) => ({
    createCustomMessageHandler: (...args) => {
      let handler = null
      return (message) => {
        handler ??= genuine().createCustomMessageHandler(...args)
        return handler(message)
      }
    },
  }),
  /** Describes options of a command that a host doesn't run. */
  'playwright/lib/mcp/program.js': () => ({ decorateCommand: () => {} }),
}

const isEmptyObject = (value) =>
  typeof value === 'object' && value !== null && Reflect.ownKeys(value).length === 0

/** Until one of its exports is used, the module consists of stand-ins. False: the file doesn't exist. */
function defer(file, replace = () => ({})) {
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
  const replaced = replace(loaded)
  const standIn = (name) =>
    // A class can be called and constructed by its proxy.
    new Proxy(class {}, {
      apply: (_target, self, args) => Reflect.apply(loaded()[name], self, args),
      construct: (_target, args) => Reflect.construct(loaded()[name], args),
      get: (_target, key) => loaded()[name][key],
      has: (_target, key) => key in loaded()[name],
    })
  const handler = {
    get: (_target, name) => {
      if (Object.hasOwn(replaced, name)) return replaced[name]
      return genuine || typeof name === 'symbol' ? loaded()[name] : standIn(name)
    },
    has: (_target, name) => name in loaded(),
  }
  // `import *` of compiled modules copies the exports into an object with the same prototype. Without any, it finds them there.
  const prototype = new Proxy(Object.create(null), handler)
  const module = new Module(filename)
  module.filename = filename
  module.loaded = true
  module.exports = new Proxy(
    {},
    {
      ...handler,
      getPrototypeOf: () => prototype,
      ownKeys: () => (genuine ? Reflect.ownKeys(genuine) : []),
      getOwnPropertyDescriptor: (_target, name) => {
        const found = genuine && Reflect.getOwnPropertyDescriptor(genuine, name)
        return found ? { ...found, configurable: true } : undefined
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
