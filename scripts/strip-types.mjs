// Preloaded by `npm start` (`node --import`): gives Node our TypeScript without its types, from a cache. Node's own type stripper
// would stay in memory: 14 MB in the server and in the agent (measured).
// As a program, it fills the cache, in a process that ends. Plain JavaScript for the Node that the server runs on.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, 'node_modules/.vedette-stripped')
const sources = join(root, 'packages/*/src/**/*.ts')
const developmentFiles = /\.(test|story|fixture|conformance)\.ts$/

if (process.argv[1] === program) fill()
else registerHooks({ load })

function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.ts(\?|$)/.test(url) || url.includes('/node_modules/'))
    return next(url, context)
  const source = read(url)
  return source === null ? next(url, context) : { format: 'module', source, shortCircuit: true }
}

function read(url) {
  const file = join(cache, nameOf(readFileSync(fileURLToPath(url))))
  const known = readIfThere(file)
  if (known !== null) return known
  fillElsewhere()
  return readIfThere(file)
}

let isFilled = false

/** Once: what is missing afterwards stays so. */
function fillElsewhere() {
  if (isFilled) return
  isFilled = true
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], { stdio: 'inherit' })
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function nameOf(bytes) {
  return `${createHash('sha1').update(process.version).update(bytes).digest('hex')}.js`
}

/** Only what the present sources need stays. */
function fill() {
  mkdirSync(cache, { recursive: true })
  const old = new Set(readdirSync(cache))
  for (const path of globSync(sources).filter((name) => !developmentFiles.test(name))) {
    const bytes = readFileSync(path)
    const name = nameOf(bytes)
    if (old.delete(name)) continue
    // A server that starts at the same time must not read half a file.
    const draft = join(cache, `${name}.${process.pid}`)
    const plain = stripped(bytes.toString())
    if (plain === null) continue
    writeFileSync(draft, plain)
    renameSync(draft, join(cache, name))
  }
  for (const name of old) rmSync(join(cache, name), { force: true })
}

/** Null: Node can't either, and says why when it loads the file. */
function stripped(source) {
  try {
    return stripTypeScriptTypes(source)
  } catch {
    return null
  }
}
