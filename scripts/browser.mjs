// The browser of browser checks: found, or installed from Debian's packages where that needs nobody's consent.
// Plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, root, serviceNode } from './install.mjs'

/** ffmpeg records Playwright's videos; the fonts are what pages of the world are written in. */
const packages = [
  'chromium-headless-shell',
  'chromium',
  'ffmpeg',
  'fonts-freefont-ttf',
  'fonts-ipafont-gothic',
  'fonts-liberation',
  'fonts-noto-color-emoji',
  'fonts-wqy-zenhei',
]

const patienceMs = { update: 60_000, install: 300_000 }

/**
 * Resolves to whether there is a browser; never rejects: everything but browser checks works without one.
 * VEDETTE_INSTALL_BROWSER=off only looks.
 */
export async function ensureBrowser({
  say = console.error,
  environment = process.env,
  find = findMissing,
  osRelease = '/etc/os-release',
  isRoot = process.getuid?.() === 0,
} = {}) {
  try {
    const missing = await find(environment)
    const isThere = !missing.includes('chromium-headless-shell')
    if (missing.length === 0 || environment.VEDETTE_INSTALL_BROWSER === 'off') return isThere
    const reason = whyNotHere({ environment, osRelease, isRoot })
    if (reason !== null) {
      if (!isThere) say(withoutBrowser(reason))
      return isThere
    }
    say('installing a browser with apt-get…')
    await installPackages(packages, environment)
    return true
  } catch (error) {
    say(withoutBrowser(error.message))
    return false
  }
}

function withoutBrowser(reason) {
  return (
    `No browser was installed (${reason}). Browser checks will say so, everything else works. Install Chromium ` +
    '(Debian: chromium-headless-shell, chromium and ffmpeg), or set CHROMIUM_PATH.'
  )
}

/** What the agent would not find: it is asked itself, so that the search is written once. */
async function findMissing(environment) {
  const program = join(root, 'packages/agent/src/main-runtime.ts')
  const { code, said } = await run(serviceNode(), [program, 'browsers'], { environment })
  if (code !== 0) throw new Error(`the agent can't be asked for its browsers: ${said}`)
  return said.split('\n').flatMap((line) => (line.endsWith(' -') ? [line.slice(0, -2)] : []))
}

function whyNotHere({ environment, osRelease, isRoot }) {
  if (environment.CHROMIUM_PATH) return 'CHROMIUM_PATH leads to no program'
  const isDebian = existsSync(osRelease) && /^ID=debian$/m.test(readFileSync(osRelease, 'utf8'))
  if (!isDebian) return 'that is done for you on Debian only'
  return isRoot ? null : 'only root may'
}

export async function installPackages(packages, environment) {
  const apt = { ...environment, DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=120']
  // What is known already may be enough: without a network, or with a proxy for packages only.
  await run('apt-get', [...options, 'update'], { environment: apt, waitMs: patienceMs.update })
  const args = [...options, 'install', '-y', '--no-install-recommends', ...packages]
  const { code, said } = await run('apt-get', args, { environment: apt, waitMs: patienceMs.install })
  if (code === null)
    throw new Error(`apt-get takes longer than ${patienceMs.install / 1000} s; it goes on by itself`)
  if (code !== 0) throw new Error(`apt-get install failed: ${said.trim().split('\n').at(-1)}`)
}

const keptCharacters = 10_000

/**
 * Code null: not ended in time. It is never killed, and a Ctrl-C does not reach it: dpkg in the middle of its work would
 * leave a system that has to be mended by hand.
 */
function run(command, args, { environment, waitMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    const listen = (chunk) => {
      said = `${said}${chunk}`.slice(-keptCharacters)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    const giveUp =
      waitMs &&
      setTimeout(() => {
        for (const handle of [child, child.stdout, child.stderr]) handle.unref()
        resolve({ code: null, said })
      }, waitMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(giveUp)
      resolve({ code: code ?? 1, said })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled()
  process.exitCode = (await ensureBrowser()) ? 0 : 1
}
