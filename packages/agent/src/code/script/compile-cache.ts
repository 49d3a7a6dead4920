// Fills V8's compile cache of a runtime by two runs without user code, in a cell. Later cells mount it read-only, so that their
// processes don't compile Playwright again.
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { linkModules, type ScriptHost, type ScriptStyle, scriptOrder } from './host.ts'
import { writeWorkspace } from './workspace.ts'

const fillMs = 60_000
const folderName = 'compile-cache'
const page = 'data:text/html,<title>Ready</title>'

/** What most scripts do, so that the functions that they call are in the cache. The first one without the runner: Node keeps the first code of a file. */
const scripts: readonly (readonly [ScriptStyle, string])[] = [
  [
    'plain',
    `const { chromium } = require('playwright')
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto('${page}')
await page.title()
await browser.close()`,
  ],
  [
    'test',
    `import { test, expect } from '@playwright/test'
test('opens', async ({ page }) => {
  await page.goto('${page}')
  await expect(page).toHaveTitle('Ready')
})`,
  ],
]

/** `module.enableCompileCache` */
export function hasCompileCache({ nodeVersion }: InstalledRuntime): boolean {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 1)
}

/** Beside its packages: filled once for all agents that share them. */
export const compileCacheOf = ({ folder }: InstalledRuntime) => join(folder, folderName)

export function existingCompileCache(runtime: InstalledRuntime): string | null {
  const folder = compileCacheOf(runtime)
  return hasCompileCache(runtime) && existsSync(folder) ? folder : null
}

/** Without a browser the scripts fail, after most of it is loaded. */
export async function fillCompileCache(
  cell: Cell,
  begin: (style: ScriptStyle, folder: string) => Promise<ScriptHost>,
  signal: AbortSignal,
): Promise<void> {
  const stop = () => void cell.end()
  signal.addEventListener('abort', stop, { once: true })
  for (const [style, script] of scripts) {
    const host = await begin(style, join(cell.work, folderName))
    const check = { checkType: 'BROWSER' as const, name: folderName, script }
    const workspace = writeWorkspace(cell.folder, { check, snippets: [] })
    if (style === 'plain') linkModules(host)
    await cell.chown()
    host.program.write(scriptOrder(host, workspace, { usesBrowser: true, env: {} }))
    const timer = setTimeout(() => host.program.kill(), fillMs)
    await host.program.ended
    clearTimeout(timer)
  }
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  await cell.end()
}

/** Into the first directory that can be written. */
export function keepCompileCache(cell: Cell, candidates: readonly string[]): string {
  const errors: unknown[] = []
  for (const into of candidates) {
    const partial = `${into}-${process.pid}`
    try {
      cpSync(join(cell.folder, folderName), partial, { recursive: true, verbatimSymlinks: true })
      shareFolder(partial)
      // Another agent may have been faster.
      if (!existsSync(into)) renameSync(partial, into)
      return into
    } catch (error) {
      errors.push(error)
    } finally {
      rmSync(partial, { recursive: true, force: true })
    }
  }
  throw errors[0]
}

/** Each cell has its own user. */
function shareFolder(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
