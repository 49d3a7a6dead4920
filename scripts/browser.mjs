// Finds the browser for browser checks and bubblewrap for the isolation of code, or installs them from Debian's packages if that
// needs no confirmation.
// Plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, root, serviceNode } from './install.mjs'

/** ffmpeg records Playwright's videos; the fonts cover most scripts of web pages. */
const packages = [
  'bubblewrap',
  'chromium-headless-shell',
  'chromium',
  'ffmpeg',
  'fonts-freefont-ttf',
  'fonts-ipafont-gothic',
  'fonts-liberation',
  'fonts-noto-color-emoji',
  'fonts-wqy-zenhei',
]

const timeoutMs = { update: 60_000, install: 300_000 }

/**
 * Resolves to whether there is a browser. Never rejects: only browser checks need one.
 * VEDETTE_INSTALL_BROWSER=off only searches.
 */
export async function ensureBrowser({
  print = console.error,
  environment = process.env,
  find = findMissing,
  osRelease = '/etc/os-release',
  isRoot = process.getuid?.() === 0,
} = {}) {
  try {
    const missing = await find(environment)
    const isPresent = !missing.includes('chromium-headless-shell')
    if (missing.length === 0 || environment.VEDETTE_INSTALL_BROWSER === 'off') return isPresent
    const reason = reasonNotToInstall({ environment, osRelease, isRoot, isPresent })
    if (reason !== null) {
      if (missing.includes('bubblewrap')) print(missingIsolationMessage(reason))
      if (!isPresent) print(missingBrowserMessage(reason))
      return isPresent
    }
    const isBrowserMissing = missing.some((name) => name !== 'bubblewrap')
    print(`installing ${isBrowserMissing ? 'a browser' : 'bubblewrap'} with apt-get…`)
    await installPackages(isBrowserMissing ? packages : ['bubblewrap'], environment)
    return true
  } catch (error) {
    print(missingBrowserMessage(error.message))
    return false
  }
}

function missingIsolationMessage(reason) {
  return (
    `bubblewrap wasn't installed (${reason}). Checks with code won't run without it, everything else works. Install it ` +
    '(Debian: apt install bubblewrap).'
  )
}

function missingBrowserMessage(reason) {
  return (
    `No browser was installed (${reason}). Browser checks will report it, everything else works. Install Chromium ` +
    '(Debian: chromium-headless-shell, chromium and ffmpeg), or set CHROMIUM_PATH.'
  )
}

/** Runs the agent's own search. */
async function findMissing(environment) {
  const program = join(root, 'packages/agent/src/main-runtime.ts')
  const { code, output } = await run(serviceNode(), [program, 'browsers'], { environment })
  if (code !== 0) throw new Error(`the agent couldn't list its browsers: ${output}`)
  const missing = output.split('\n').flatMap((line) => (line.endsWith(' -') ? [line.slice(0, -2)] : []))
  return existsSync('/usr/bin/bwrap') ? missing : ['bubblewrap', ...missing]
}

function reasonNotToInstall({ environment, osRelease, isRoot, isPresent }) {
  if (environment.CHROMIUM_PATH && !isPresent) return "CHROMIUM_PATH isn't a program"
  const isDebian = existsSync(osRelease) && /^ID=debian$/m.test(readFileSync(osRelease, 'utf8'))
  if (!isDebian) return 'that works on Debian only'
  return isRoot ? null : 'only root can install packages'
}

export async function installPackages(packages, environment) {
  const apt = { ...environment, DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=120']
  // If the update fails, the known package lists may be enough.
  await run('apt-get', [...options, 'update'], { environment: apt, waitMs: timeoutMs.update })
  const args = [...options, 'install', '-y', '--no-install-recommends', ...packages]
  const { code, output } = await run('apt-get', args, { environment: apt, waitMs: timeoutMs.install })
  if (code === null)
    throw new Error(`apt-get takes longer than ${timeoutMs.install / 1000} s; it continues in the background`)
  if (code !== 0) throw new Error(`apt-get install failed: ${output.trim().split('\n').at(-1)}`)
}

const maxOutputLength = 10_000

/**
 * Code null: it didn't end in time. It is never killed, and Ctrl-C doesn't reach it: an interrupted dpkg leaves a system that
 * has to be repaired by hand.
 */
function run(command, args, { environment, waitMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk) => {
      output = `${output}${chunk}`.slice(-maxOutputLength)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const giveUp =
      waitMs &&
      setTimeout(() => {
        for (const handle of [child, child.stdout, child.stderr]) handle.unref()
        resolve({ code: null, output })
      }, waitMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(giveUp)
      resolve({ code: code ?? 1, output })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled()
  process.exitCode = (await ensureBrowser()) ? 0 : 1
}
