// Every runtime of the product and the newest Playwright run the same scripts, with the same evidence.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import { makeBaseFolder } from '../../sandbox/stage.ts'
import type { CodeOutcome } from '../code-runner.ts'
import { openScriptWorld, type ScriptWorld } from './script.fixture.ts'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const manifests = readdirSync(join(root, 'packages/agent/runtimes')).filter((name) => /^\d/.test(name))
const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const newest = `Playwright ${devDependencies['playwright-core']}`

/** With the Node of the product. */
async function installNewest(folder: string): Promise<InstalledRuntime> {
  mkdirSync(folder)
  const nodePackage = `node-${process.platform}-${process.arch}`
  const nodeVersion = optionalDependencies[nodePackage]
  const playwrightVersion = devDependencies['playwright-core']
  const dependencies = { '@playwright/test': playwrightVersion, [nodePackage]: nodeVersion }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  await promisify(execFile)('npm', args, { cwd: folder })
  const node = join('node_modules', nodePackage, 'bin', 'node')
  return { name: newest, folder, node, nodeVersion, playwrightVersion }
}

describe.each([...manifests, newest])('%s', { timeout: 300_000 }, (name) => {
  let base: string
  let world: ScriptWorld
  beforeAll(async () => {
    base = makeBaseFolder()
    const runtime = await (name === newest ? installNewest(join(base, 'newest')) : checkoutRuntime(name))
    world = await openScriptWorld(runtime)
  }, 600_000)
  afterAll(async () => {
    await world?.close()
    rmSync(base, { recursive: true, force: true })
  })

  const filesOf = ({ files }: CodeOutcome) => files.map((file) => file.name)
  const linesOf = ({ log }: CodeOutcome) => log.map(({ msg }) => msg)
  const visit = "await page.goto(process.env.BASE_URL + '/')"

  it('runs tests in TypeScript and keeps evidence of a failed one', async () => {
    const outcome = await world.run(
      `import { test, expect } from '@playwright/test'
      import { title } from './lib/title'
      test('passes', async ({ page }) => { ${visit}; await expect(page).toHaveTitle(title) })
      test('fails', async ({ page }) => { ${visit}; expect(await page.title()).toBe('Other' as string) })`,
      { check: { dependencies: [{ path: 'lib/title.ts', content: "export const title: string = 'Shop'" }] } },
    )
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(outcome.detail).toMatchObject({
      tests: [
        { title: 'passes', outcome: 'expected' },
        { title: 'fails', outcome: 'unexpected' },
      ],
      traceSummary: { consoleErrors: 4 },
    })
    expect(outcome.metrics).toMatchObject({ TTFB: expect.any(Number), FCP: expect.any(Number) })
    expect(filesOf(outcome)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/fails.*trace\.zip$/),
        expect.stringMatching(/fails.*\.png$/),
      ]),
    )
  })

  it('runs a plain script, and records its pages', async () => {
    const outcome = await world.run(`const { chromium } = require('playwright')
      const browser = await chromium.launch()
      const page = await browser.newPage()
      ${visit}
      console.log(await page.title())
      await browser.close()`)
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.detail).toMatchObject({ traceSummary: { consoleErrors: 2 } })
    expect(outcome.metrics).toMatchObject({ TTFB: expect.any(Number) })
    expect(linesOf(outcome)).toContain('Shop')
  })

  it('runs a plain script in TypeScript', async () => {
    const outcome = await world.run("const word: string = 'typed'\nconsole.log(word)")
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(linesOf(outcome)).toContain('typed')
  })

  it('runs ES modules', async () => {
    const plain = await world.run(`import { request } from 'playwright'
      const context = await request.newContext()
      console.log((await context.get(process.env.BASE_URL + '/api')).status())
      await context.dispose()`)
    expect(plain).toMatchObject({ outcome: 'passed', failure: null })
    expect(linesOf(plain)).toContain('200')
    const tested = await world.run(
      `import { test, expect } from '@playwright/test'
      import { word } from './lib/word.mjs'
      test('imports', () => { expect(word).toBe('found'); expect(import.meta.url).toContain('shop') })`,
      {
        check: {
          scriptPath: 'shop.spec.mjs',
          dependencies: [{ path: 'lib/word.mjs', content: "export const word = 'found'" }],
        },
      },
    )
    expect(tested).toMatchObject({ outcome: 'passed', failure: null })
  })

  it('loads in a cell', () => {
    expect(world.states.map(({ problem }) => problem)).toEqual(world.states.map(() => null))
  })
})
