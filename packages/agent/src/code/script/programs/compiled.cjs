// Compiles the files of a check before the runner does, and sends the result to the agent for later runs; see compiled-scripts.ts.
// The runner then finds it in the directory of the compiler's cache.
'use strict'
const fs = require('node:fs')
const path = require('node:path')

const { load } = require('./load-ahead.cjs')
const { compiled } = require('./paths.cjs')

/** Call it before code of the user runs: the agent trusts the first line only. */
exports.send = (files) => {
  process.stdout.write(`\u0000compiled ${JSON.stringify(compile(files))}\n`)
}

/** Null: this version has another compiler, or a file has an error, which the runner reports. */
function compile(files) {
  try {
    const { transformHook } = load('playwright/lib/transform/transform.js')
    for (const file of files) transformHook(fs.readFileSync(file, 'utf8'), file)
    const names = fs.readdirSync(compiled, { recursive: true }).map(String)
    const found = names.filter((name) => fs.statSync(path.join(compiled, name)).isFile())
    return Object.fromEntries(found.map((name) => [name, fs.readFileSync(path.join(compiled, name), 'utf8')]))
  } catch {
    return null
  }
}
