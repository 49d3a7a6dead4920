// Builds the web app into packages/web/dist/<hash of its sources>; dist/current.json names the build to serve, or why there is
// none. Skipped if the sources haven't changed. Plain JavaScript for Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { ensureInstalled, root, serviceNode } from './install.mjs'

const web = join(root, 'packages/web')
export const dist = join(web, 'dist')
const program = fileURLToPath(import.meta.url)

/** What the app is made of. Types of contracts leave no trace in it. */
const sources = [
  'package-lock.json',
  'scripts/build-web.mjs',
  'packages/web/index.html',
  'packages/server/src/look/tokens.css',
  'packages/server/src/look/elements.css',
  'packages/server/src/look/phase-labels.json',
  'packages/server/src/look/state-shapes.json',
]
const folders = ['packages/web/src', 'packages/as-code/src']

/** Builds kept besides the current one: open tabs load their screens from it. */
const keptBuilds = 1

function sourceHash() {
  const hash = createHash('sha256')
  const own = folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  for (const file of [...sources, ...own].sort())
    hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

export function readCurrent() {
  try {
    return JSON.parse(readFileSync(join(dist, 'current.json'), 'utf8'))
  } catch {
    return {}
  }
}

export function isBuilt() {
  const id = sourceHash()
  return readCurrent().id === id && existsSync(join(dist, id))
}

/**
 * In a process of its own with the lowest priority, which ends with the process `server`. A failure is printed, and shown by the
 * server.
 */
export function buildInBackground(server) {
  const child = spawn(serviceNode(), [program, '--quiet', String(server)], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  child.once('error', ({ message }) => console.error(`The web app couldn't be built: ${message}`))
  child.unref()
}

function endWith(pid) {
  const isGone = () => {
    try {
      process.kill(pid, 0)
      return false
    } catch (error) {
      return error.code === 'ESRCH'
    }
  }
  setInterval(() => isGone() && process.exit(1), 1_000).unref()
}

/** Waits until the app is built. */
export function ensureBuilt() {
  const { status } = spawnSync(serviceNode(), [program], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error("The web app couldn't be built: see above.")
}

async function build() {
  if (isBuilt()) return 'current'
  const id = sourceHash()
  const folder = join(dist, id)
  const draft = join(dist, `.draft-${process.pid}`)
  mkdirSync(dist, { recursive: true })
  try {
    await bundle(draft)
    compress(draft)
    if (!existsSync(folder)) renameSync(draft, folder)
    writeCurrent({ id })
    removeOldBuilds(id)
    return 'built'
  } catch (error) {
    writeCurrent({ ...readCurrent(), failure: error.message })
    throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function bundle(outDir) {
  // Test runners set it to "test", for which React's slow code would be built.
  process.env.NODE_ENV = 'production'
  const vite = await import('vite')
  await vite.build({
    root: web,
    configFile: false,
    logLevel: 'error',
    // The server writes the path of its files into the page.
    base: './',
    publicDir: false,
    build: {
      outDir,
      assetsDir: '.',
      emptyOutDir: true,
      // No data: addresses, which the content security policy forbids.
      assetsInlineLimit: 0,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      manifest: 'manifest.json',
      reportCompressedSize: false,
    },
  })
}

/** Once here instead of for every request. */
function compress(folder) {
  for (const name of readdirSync(folder).filter((file) => /\.(js|css|svg|html)$/.test(file))) {
    const bytes = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

/** Replaced at once: the server may read it at any time. */
function writeCurrent(value) {
  const draft = join(dist, `.current-${process.pid}`)
  writeFileSync(draft, `${JSON.stringify(value)}\n`)
  renameSync(draft, join(dist, 'current.json'))
}

function removeOldBuilds(id) {
  const others = readdirSync(dist, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name) && entry.name !== id)
    .map((entry) => join(dist, entry.name))
  for (const folder of others.slice(0, Math.max(0, others.length - keptBuilds)))
    rmSync(folder, { recursive: true })
}

if (process.argv[1] === program) {
  const isQuiet = process.argv[2] === '--quiet'
  if (isQuiet) {
    setPriority(constants.priority.PRIORITY_LOW)
    endWith(Number(process.argv[3]))
  } else ensureInstalled()
  const startedAt = performance.now()
  try {
    const outcome = await build()
    if (!isQuiet || outcome === 'built')
      console.error(`web app: ${outcome} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  } catch (error) {
    console.error(`The web app couldn't be built: ${error.message}`)
    process.exitCode = 1
  }
}
