// `npx playwright test` on the packages, the Node and the browser that the agent uses.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Peer {
  /** `onStart` gets the process id. */
  run(script: string, url: string, onStart: (pid: number) => void): Promise<void>
  remove(): void
}

export function preparePeer(): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-browser-'))
  const runtime = findRuntime()
  symlinkSync(join(runtime, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'tests'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const launchOptions = { executablePath: findChromium(), args: ['--no-sandbox'] }
  const config = { testDir: './tests', workers: 1, use: { launchOptions } }
  writeFileSync(join(folder, 'playwright.config.js'), `module.exports = ${JSON.stringify(config)}`)
  const node = dirname(
    join(runtime, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node'),
  )
  return {
    async run(script, url, onStart) {
      writeFileSync(join(folder, 'tests', 'shop.spec.ts'), script)
      const env = { ...process.env, PATH: `${node}:${process.env.PATH}`, SHOP_URL: url, CI: '' }
      await runCommand(folder, env, onStart)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function runCommand(cwd: string, env: NodeJS.ProcessEnv, onStart: (pid: number) => void): Promise<void> {
  const child = spawn('npx', ['playwright', 'test', '--reporter=line'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) onStart(child.pid)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return new Promise((settle, fail) => {
    child.once('error', fail)
    child.once('close', (code) =>
      code === 0 ? settle() : fail(new Error(`npx playwright test ended with ${code}: ${text}`)),
    )
  })
}

/** The installation of this checkout, which the agent uses. */
function findRuntime(): string {
  const folder = fileURLToPath(new URL('../node_modules/.vedette-runtimes/2026.04', import.meta.url))
  const found = readdirSync(folder).map((name) => join(folder, name))
  const runtime = found.find((path) => existsSync(join(path, 'node_modules', '@playwright', 'test')))
  if (!runtime) throw new Error('the runtime 2026.04 is not installed: npm run runtime -- install 2026.04')
  return runtime
}

function findChromium(): string {
  const candidates = [
    process.env.CHROMIUM_PATH,
    '/usr/lib/chromium/chromium-headless-shell',
    '/usr/bin/chromium-headless-shell',
  ]
  const found = candidates.find((path) => path !== undefined && existsSync(path))
  if (!found)
    throw new Error('there is no headless Chromium: install chromium-headless-shell, or set CHROMIUM_PATH')
  return found
}
