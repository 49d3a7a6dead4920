// Node's compile cache: V8 doesn't compile Playwright again in every process. The agent fills it once with a run of its own, and
// mounts it read-only.
'use strict'
const fs = require('node:fs')
const nodeModule = require('node:module')
const os = require('node:os')
const path = require('node:path')

const { cache } = require('./paths.cjs')

/** Node 22.1 and later. */
exports.enable = () => {
  if (!cache || !nodeModule.enableCompileCache) return
  try {
    nodeModule.enableCompileCache(cache.isFilled ? linkFilled(cache.folder) : cache.folder)
  } catch {
    // Everything is compiled.
  }
}

/** Node keeps a directory per version, flags and user id. The user of this cell isn't the one that filled it. */
function linkFilled(filled) {
  const folder = path.join(os.tmpdir(), 'vedette-compile-cache')
  fs.mkdirSync(folder, { recursive: true })
  for (const name of fs.readdirSync(filled)) {
    const own = path.join(folder, name.replace(/\d+$/, String(process.getuid())))
    if (!fs.existsSync(own)) fs.symlinkSync(path.join(filled, name), own)
  }
  return folder
}
