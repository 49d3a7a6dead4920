// Real cells, the genuine runner from npm and a real Chromium. What npm gives is kept beside the checkout's packages.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { npmEnvironment } from '../../config.ts'
import { ServerError } from '../../connection/server-exchange.ts'
import { findBrowsers } from '../../runtimes/browsers.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { cellOpener, closeCells } from '../../sandbox/open-cell.ts'
import { bundleBytes } from './bundle.fixture.ts'
import { openDependencyCache } from './dependency-cache.ts'
import { readRegistry } from './registry.ts'
import { suiteRunner } from './run-suite.ts'
import { type SuiteDeps, suiteTimes } from './suite-deps.ts'
import { openToolStore } from './tool-store.ts'

const openCell = cellOpener('auto')

const kept = fileURLToPath(new URL('../../../../../node_modules/.vedette-suite-test', import.meta.url))

const manifest = { name: 'suite', private: true, devDependencies: { '@playwright/test': '1.58.2' } }

const config = `import { defineConfig, devices } from '@playwright/test'
export default defineConfig({
  testDir: './tests',
  retries: 0,
  projects: [{ name: 'desk', use: { ...devices['Desktop Chrome'] } }],
})`

const spec = `import { writeFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
test.describe('shop', () => {
  test('opens', async ({ page }) => {
    await test.step('fills the page', () => page.setContent('<title>Shop</title>'))
    await expect(page).toHaveTitle('Shop')
    const { SERVICE, CI, CHECK_NAME, REGION, RUN_SOURCE, GREETING } = process.env
    console.log('env ' + JSON.stringify({ SERVICE, CI, CHECK_NAME, REGION, RUN_SOURCE, GREETING }))
    console.log('agent ' + (await page.evaluate(() => navigator.userAgent)))
  })
  test('sells', async ({ page }) => {
    await page.setContent('<h1>Sold out</h1>')
    if (process.env.MODE === 'hard') await expect(page.locator('h1')).toHaveText('Buy', { timeout: 200 })
    if (process.env.MODE !== 'soft') return
    await expect.soft(page.locator('h1'), 'says buy').toHaveText('Buy', { timeout: 200 })
    writeFileSync('degraded.json', JSON.stringify({ messages: ['sold out'] }))
  })
})`

const bundle = bundleBytes([
  { name: 'e2e/package.json', content: JSON.stringify(manifest) },
  { name: 'e2e/playwright.config.ts', content: config },
  { name: 'e2e/tests/shop.spec.ts', content: spec },
  { name: 'e2e/degraded.json', content: '{"messages":["of another run"]}' },
])

let base: string
let deps: SuiteDeps
const cells: Cell[] = []

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'vedette-suite-'))
  mkdirSync(kept, { recursive: true })
  const environment = npmEnvironment()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const registry = await readRegistry(environment)
  deps = {
    async openCell(settings, signal) {
      const cell = await openCell(settings, signal)
      cells.push(cell)
      return cell
    },
    downloadBundle: async (_token, to) => writeFileSync(to, bundle),
    browsers: { programs: () => findBrowsers({}), args: ['--no-sandbox'] },
    runsFolder: join(base, 'runs'),
    cache: await openDependencyCache({ folder: join(base, 'cache'), maxBytes: 1e9, now: Date.now }),
    tools: await openToolStore({ folder: kept, npmEnvironment: environment, log }),
    registry: async () => registry,
    limits: suiteTimes,
  }
}, 60_000)

afterAll(async () => {
  await closeCells()
  rmSync(base, { recursive: true, force: true })
})

const job = (over: Record<string, unknown> = {}, check: Record<string, unknown> = {}) =>
  ({
    token: 'lease',
    checkId: '00000000-0000-4000-8000-000000000002',
    accountId: '00000000-0000-4000-8000-000000000001',
    checkType: 'PLAYWRIGHT',
    location: 'eu-west-1',
    variables: { GREETING: 'hello' },
    source: 'schedule',
    refreshCache: false,
    ...over,
    check: { checkType: 'PLAYWRIGHT', name: 'Shop suite', workingDir: 'e2e', ...check },
  }) as unknown as Job

const run = async (given: Job, over: Partial<SuiteDeps> = {}, signal = new AbortController().signal) =>
  suiteRunner({ ...deps, ...over })(given, {
    signal,
    clock: { now: Date.now, monotonic: () => performance.now() },
    network: networkPolicy({ mode: 'default' }),
    userAgent: 'Vedette/0.0.1',
  })
const outputOf = ({ log }: Awaited<ReturnType<typeof run>>) => log.map(({ msg }) => msg).join('\n')
const nothingIsLeft = () =>
  readdirSync(deps.runsFolder).length === 0 && cells.every(({ folder }) => !existsSync(folder))

describe('a suite', () => {
  test('installs its packages, runs with a real browser, and reports tests, errors and files', async () => {
    const outcome = await run(job({ variables: { MODE: 'hard', GREETING: 'hello' } }))
    expect(outputOf(outcome)).toContain('$ npm install')
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(outcome.failure?.message).toContain('shop › sells')
    expect(outcome.detail).toMatchObject({
      dependencyCache: 'miss',
      playwrightVersion: '1.58.2',
      testCounts: { planned: 2, run: 2, expected: 1, unexpected: 1, flaky: 0, skipped: 0 },
      tests: [
        {
          ...{ testTitle: 'opens', outcome: 'expected', retries: 0, projectName: 'desk' },
          steps: [{ title: 'fills the page', duration: expect.any(Number), hasFailed: false }],
        },
        { testTitle: 'sells', outcome: 'unexpected', suitePath: ['shop'], testFile: 'shop.spec.ts' },
      ],
      errors: [{ testTitle: 'sells', suitePath: ['shop'], projectName: 'desk' }],
    })
    const [trace] = outcome.detail.playwrightTraceFiles as { name: string; filename: string }[]
    expect(trace?.name).toBe('shop › sells [desk]')
    const file = outcome.files.find(({ name }) => name === trace?.filename)
    expect(file).toMatchObject({ type: 'trace', contentType: 'application/zip' })
    expect(
      readFileSync(file?.path ?? '')
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
    expect(outcome.files.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['report', 'screenshot', 'trace']),
    )
    const report = outcome.files.find(({ name }) => name === 'report.json')
    expect(JSON.parse(readFileSync(report?.path ?? '', 'utf8')).stats).toMatchObject({
      expected: 1,
      unexpected: 1,
    })
    const env = {
      SERVICE: '1',
      CHECK_NAME: 'Shop suite',
      REGION: 'eu-west-1',
      RUN_SOURCE: 'schedule',
      GREETING: 'hello',
    }
    expect(outputOf(outcome)).toContain(`env ${JSON.stringify(env)}`)
    expect(outputOf(outcome)).toMatch(/agent Mozilla.* Vedette\/0\.0\.1/)
    await outcome.release()
    expect(nothingIsLeft()).toBe(true)
  }, 240_000)

  test('is degraded by soft failures with the mark; CI is for sessions', {
    tags: ['story'],
    timeout: 240_000,
  }, async () => {
    const outcome = await run(job({ source: 'test', variables: { MODE: 'soft' } }))
    expect(outcome).toMatchObject({ outcome: 'degraded', failure: null })
    expect(outcome.detail).toMatchObject({ degradedMessages: ['sold out'] })
    expect(outputOf(outcome)).toContain('"CI":"true"')
    await outcome.release()
    expect(nothingIsLeft()).toBe(true)
  })

  test('takes its packages from the cache, which it cannot change', async () => {
    const testCommand = 'rm -rf node_modules/playwright && echo gone'
    const spoilt = await run(job({}, { testCommand }))
    expect(spoilt.outcome).toBe('passed')
    await spoilt.release()
    const next = await run(job({}, { testCommand: 'ls node_modules' }))
    expect(next.detail).toMatchObject({ dependencyCache: 'hit' })
    expect(outputOf(next)).not.toContain('npm install')
    expect(outputOf(next)).toMatch(/^playwright$/m)
    await next.release()
  }, 60_000)

  test('is ended at its limit, and its output is kept', async () => {
    const limits = { ...suiteTimes, runMs: 1_500 }
    const outcome = await run(job({}, { testCommand: 'echo waiting; sleep 600' }), { limits })
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'timeout' } })
    expect(outcome.failure?.message).toContain("didn't finish within its limit of 0.025 minutes: ")
    expect(outcome.failure?.message).toContain('waiting')
    await outcome.release()
    expect(nothingIsLeft()).toBe(true)
  }, 60_000)

  test('is ended at once when it is canceled', async () => {
    const calling = new AbortController()
    const listening: SuiteDeps['openCell'] = async (settings, signal) => {
      const cell = await deps.openCell(settings, signal)
      const start: Cell['start'] = (program) =>
        cell.start({
          ...program,
          onOutput(stream, chunk) {
            program.onOutput?.(stream, chunk)
            if (chunk.includes('waiting')) calling.abort()
          },
        })
      return { ...cell, start }
    }
    const given = job({}, { testCommand: 'echo waiting; sleep 600' })
    const outcome = await run(given, { openCell: listening }, calling.signal)
    expect(outcome).toMatchObject({ outcome: 'error', failure: { message: 'The run was canceled.' } })
    expect(nothingIsLeft()).toBe(true)
  }, 60_000)
})

describe('a suite that cannot run reports why', () => {
  const refused = async (given: Job, over: Partial<SuiteDeps> = {}) => {
    const outcome = await run(given, over)
    expect(outcome.outcome).toBe('error')
    expect(nothingIsLeft()).toBe(true)
    return outcome.failure?.message
  }

  test('before anything is downloaded where a browser is not there', async () => {
    const downloadBundle = () => Promise.reject(new Error('downloaded'))
    const programs = () => ({ ...findBrowsers({}), downloads: null })
    const over = { downloadBundle, browsers: { ...deps.browsers, programs } }
    expect(await refused(job({}, { browsers: ['chromium', 'firefox'] }), over)).toContain(
      "doesn't have firefox",
    )
    expect(await refused(job({}, { browsers: ['netscape'] }), over)).toContain('no browser named netscape')
    expect(await refused(job({}, { engine: 'node', engineVersion: '18' }), over)).toContain(
      'engineVersion 18',
    )
    expect(await refused(job({}, { workingDir: '../x' }), over)).toContain('leads out of the bundle')
  })

  test('where its bundle is gone: by its path, without an address of the server', async () => {
    const origin = 'http://127.0.0.1:3400'
    const downloadBundle = () =>
      Promise.reject(new ServerError(`${origin} answered 404: no such bundle`, 404))
    const given = job({}, { codeBundlePath: 'code-bundles/shop.tar.gz' })
    const outcome = await run(given, { downloadBundle })
    expect(outcome).toMatchObject({ outcome: 'error', failure: { kind: 'script', phase: 'setup' } })
    expect(outcome.failure?.message).toBe(
      "The code bundle code-bundles/shop.tar.gz doesn't exist in this account. " +
        'Upload the archive again and update codeBundlePath.',
    )
    const away = () => Promise.reject(new ServerError(`${origin} answered 503`, 503))
    await expect(run(given, { downloadBundle: away })).rejects.toThrow(
      "The server didn't deliver the code bundle code-bundles/shop.tar.gz (status 503).",
    )
    expect(nothingIsLeft()).toBe(true)
  })

  test('where its folder is not in the bundle, or its install fails', async () => {
    expect(await refused(job({}, { workingDir: 'nowhere' }))).toBe(
      "The workingDir nowhere isn't in the bundle. Correct it, or add the directory to the bundle.",
    )
    const failing = await refused(job({}, { installCommand: 'echo broken packages >&2; exit 3' }))
    expect(failing).toMatch(/^The install \(.*\) failed: it ended with code 3: [\s\S]*broken packages/)
    const none = await refused(job({}, { installCommand: 'true' }))
    expect(none).toContain("Playwright isn't installed in the suite")
  }, 60_000)

  test('where the install replaced its folder by a link out of the bundle, through which nothing is removed', {
    tags: ['story'],
    timeout: 120_000,
  }, async () => {
    const elsewhere = join(base, 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'degraded.json'), 'of others')
    const installCommand = `npm install && cp -r node_modules .. && rm -rf ../e2e && ln -s ${elsewhere} ../e2e`
    const message = await refused(job({ refreshCache: true }, { installCommand }))
    expect(message).toBe(
      'The workingDir e2e leads out of the bundle after the install. Correct installCommand.',
    )
    expect(readFileSync(join(elsewhere, 'degraded.json'), 'utf8')).toBe('of others')
  })

  test('where the install takes too long', async () => {
    const limits = { ...suiteTimes, installMs: 1_000 }
    const message = await refused(job({ refreshCache: true }, { installCommand: 'sleep 600' }), { limits })
    expect(message).toContain("didn't finish within its limit of")
  }, 60_000)
})
