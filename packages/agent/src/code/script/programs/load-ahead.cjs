// Loads Playwright before the script is known. Only `@playwright/test` is required; files that are not part of its public surface
// are loaded for speed, and their absence is reported.
'use strict'
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
  tryFirst(compilers, (file) => compileAhead(load(file)), reasons)
  return reasons
}

/** V8 compiles the compiler's functions when they are first called. */
function compileAhead({ babelTransform }) {
  babelTransform('import a from "b"; const c: number = a', '/work/ahead.ts', false, [], [])
}

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
