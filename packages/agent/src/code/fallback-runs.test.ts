// Suites and prompts on a host without namespaces, with an agent data directory that only the agent can read.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { npmEnvironment } from '../config.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { runNpm } from '../runtimes/run-npm.ts'
import { codeLimits } from '../sandbox/code-limits.ts'
import {
  agenticJob,
  codeContext,
  type ScriptedModel,
  type Shop,
  startModel,
  startShop,
} from './agentic/agentic.fixture.ts'
import { agenticRunner, replayWith } from './agentic/run-agentic.ts'
import { browserArgs } from './browser-args.ts'
import { type FallbackWorld, openFallbackWorld } from './fallback-level.fixture.ts'
import { bundleBytes } from './suite/bundle.fixture.ts'
import { openDependencyCache } from './suite/dependency-cache.ts'
import { readRegistry } from './suite/registry.ts'
import { suiteRunner } from './suite/run-suite.ts'
import { suiteTimes } from './suite/suite-deps.ts'
import { openToolStore, type ToolStore } from './suite/tool-store.ts'

const kept = fileURLToPath(new URL('../../../../node_modules/.vedette-suite-test', import.meta.url))

let world: FallbackWorld
let model: ScriptedModel
let shop: Shop
beforeAll(async () => {
  world = await openFallbackWorld()
  ;[model, shop] = await Promise.all([startModel(), startShop()])
}, 300_000)
afterAll(async () => {
  await Promise.all([model.close(), shop.close(), world.close()])
  expect(world.leftovers()).toEqual([])
})

/** What npm gives is kept for all tests; the store's folder is the agent's own, as it is in AGENT_DATA_DIR. */
async function privateTools(environment: Record<string, string>): Promise<ToolStore> {
  mkdirSync(kept, { recursive: true })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const tools = await openToolStore({ folder: kept, npmEnvironment: environment, log })
  return {
    async ensure(name, version, signal) {
      const own = join(world.dataDir, 'tools', basename(name))
      if (!existsSync(own)) cpSync(await tools.ensure(name, version, signal), own, { recursive: true })
      return own
    },
  }
}

const manifest = { name: 'suite', private: true, devDependencies: { '@playwright/test': '1.58.2' } }
const spec = `import { tmpdir } from 'node:os'
import { expect, test } from '@playwright/test'
test('opens', async ({ page }) => {
  await page.goto(process.env.SHOP_URL)
  await expect(page).toHaveTitle('The pen shop')
  console.log('writes to ' + tmpdir())
})
test('sells', async ({ page }) => {
  await page.goto(process.env.SHOP_URL)
  await expect(page.locator('button')).toHaveText('Sell', { timeout: 200 })
})`

async function lockFile(environment: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-lock-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const flags = ['--package-lock-only', '--no-audit', '--no-fund']
    await runNpm({ folder, args: ['install', ...flags], environment, timeoutMs: 120_000 })
    return readFileSync(join(folder, 'package-lock.json'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('a suite installs its lock file and runs with its own Playwright, then from the cache', {
  tags: ['story'],
  timeout: 300_000,
}, async () => {
  const environment = npmEnvironment()
  const registry = await readRegistry(environment)
  const bundle = bundleBytes([
    { name: 'package.json', content: JSON.stringify(manifest) },
    { name: 'package-lock.json', content: await lockFile(environment) },
    { name: 'playwright.config.ts', content: 'export default { retries: 0, use: { screenshot: "on" } }' },
    { name: 'tests/shop.spec.ts', content: spec },
  ])
  const { openCell, dataDir } = world
  const run = suiteRunner({
    openCell,
    downloadBundle: async (_token, to) => writeFileSync(to, bundle),
    browsers: { programs: () => findBrowsers({}), args: browserArgs('fallback') },
    runsFolder: join(dataDir, 'runs'),
    cache: await openDependencyCache({ folder: join(dataDir, 'cache'), maxBytes: 1e9, now: Date.now }),
    tools: await privateTools(environment),
    registry: async () => registry,
    limits: suiteTimes,
  })
  const check = { checkType: 'PLAYWRIGHT', name: 'Shop suite' }
  const variables = { SHOP_URL: shop.url }
  const job = agenticJob('', { checkType: 'PLAYWRIGHT', check, variables } as Partial<Job>)
  for (const dependencyCache of ['miss', 'hit']) {
    const outcome = await run(job, codeContext())
    const output = outcome.log.map(({ msg }) => msg).join('\n')
    expect(outcome, output).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(output.includes('$ npm ci')).toBe(dependencyCache === 'miss')
    expect(output).toMatch(/writes to .*vedette-sandbox-/)
    expect(outcome.detail).toMatchObject({
      dependencyCache,
      playwrightVersion: '1.58.2',
      testCounts: { planned: 2, run: 2, expected: 1, unexpected: 1 },
    })
    expect(outcome.files.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['report', 'screenshot', 'trace']),
    )
    await outcome.release()
  }
})

it('a prompt is performed, and its script replayed', { tags: ['story'], timeout: 120_000 }, async () => {
  const run = agenticRunner({
    model: model.settings,
    openCell: world.openCell,
    runtime: async () => world.runtime,
    browsers: async () => world.browsers,
    replay: replayWith(world.runScript),
  })
  model.turns = [
    [['navigate', { intent: 'Open the shop', url: '{{SHOP_URL}}' }]],
    [['click', { intent: 'Buy a pen', target: { by: 'role', value: 'button', name: 'Buy' } }]],
    [['assert', { condition: 'the cart holds one pen', kind: 'text_visible', expected: 'Cart: 1 pen' }]],
    [['done', { outcome: 'passed', summary: 'Bought a pen.' }]],
  ]
  const job = agenticJob('Buy a pen at {{SHOP_URL}}', { variables: { SHOP_URL: shop.url } })
  const first = await run(job, codeContext())
  await first.release()
  expect(first.failure).toBeNull()
  expect(first.files.map(({ name }) => name)).toContain('trace.zip')
  const written = first.agenticScript
  if (!written) throw new Error('the first run left no script')
  const again = await run({ ...job, agenticScript: { ...written, isRepairProposed: false } }, codeContext())
  await again.release()
  expect(again.failure).toBeNull()
  expect(again.detail).toMatchObject({ summary: 'Replayed the script of this prompt: all 3 steps passed.' })
})

it('code is refused if its user cannot read the directory of its runtime', async ({ skip }) => {
  if (process.getuid?.() !== 0) return skip('cells are the agent’s own user then')
  const { network } = codeContext()
  const settings = { mounts: [{ from: world.dataDir, to: '/node_modules' }], limits: codeLimits, network }
  await expect(world.openCell(settings, new AbortController().signal)).rejects.toThrow(
    `can't read ${world.dataDir}. Make it and its parent directories readable`,
  )
})
