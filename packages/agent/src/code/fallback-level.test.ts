// Script runs on a host without namespaces, with a real runtime and browser. Nothing is left behind.
import { statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Job } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { hashRuntime, samplePackage, writesIntoRuntime } from '../runtimes/installed-runtime.fixture.ts'
import { plainUid, processesWith, runAsPlainAgent } from '../sandbox/cell.fixture.ts'
import { type FallbackWorld, openFallbackWorld } from './fallback-level.fixture.ts'

const page = '<!doctype html><title>Shop</title><h1>Shop</h1><a href="/file" download>file</a>'
const test = (body: string) => `import { test, expect } from '@playwright/test'\n${body}`
const visit = "await page.goto(process.env.BASE_URL + '/')"

let baseUrl: string
beforeAll(async () => {
  const server = createServer(({ url, method }, response) => {
    if (url !== '/api') return response.setHeader('content-type', 'text/html').end(page)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ method }))
  })
  baseUrl = `http://127.0.0.1:${await listen(server)}`
})
afterAll(closeListeners)

describe('a script with another user and limits', { timeout: 90_000 }, () => {
  let world: FallbackWorld
  beforeAll(async () => {
    world = await openFallbackWorld()
  }, 300_000)
  afterAll(async () => {
    await world.close()
    expect(world.leftovers()).toEqual([])
  })

  const run = (script: string, check: Record<string, unknown> = {}, job: Partial<Job> = {}) =>
    world.run(script, check, { ...job, variables: { BASE_URL: baseUrl, ...job.variables } })

  it('passes in a real browser, with downloads', async () => {
    const outcome = await run(
      test(`test('shop', async ({ page }) => {
        ${visit}
        await expect(page).toHaveTitle('Shop')
        const [download] = await Promise.all([page.waitForEvent('download'), page.click('a')])
        await download.saveAs('kept/file.html')
        console.log('seen', process.env.CHECK_NAME)
      })`),
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.log.map(({ msg }) => msg)).toContain('seen Shop')
    expect(outcome.detail).toMatchObject({ type: 'PLAYWRIGHT_TEST', pages: [{ url: `${baseUrl}/` }] })
    expect(outcome.files.map(({ name }) => name).sort()).toEqual(['kept/file.html', 'report.json'])
  })

  it.each(writesIntoRuntime)(
    'never changes the runtime by its files: %s',
    { tags: ['story'] },
    async (_name, { check, snippets }) => {
      const before = hashRuntime(world.runtime)
      const job = { ...(snippets && { snippets }) }
      await expect(run('1', { ...check }, job)).rejects.toThrow(/is not allowed|can't be written/)
      expect(hashRuntime(world.runtime)).toBe(before)
    },
  )

  it('finds its dependencies and the packages of the runtime', { tags: ['story'] }, async () => {
    const dependencies = [{ path: 'lib/helper.ts', content: `export { default } from '${samplePackage}'` }]
    const script =
      "import regex from './lib/helper'\ntest('finds', () => expect(typeof regex).toBe('function'))"
    expect(await run(test(script), { dependencies })).toMatchObject({ outcome: 'passed', failure: null })
  })

  it('fails with its error, a trace, a screenshot and, in a retry, a video', {
    tags: ['story'],
  }, async () => {
    const script = test(
      `test('shop', async ({ page }) => { ${visit}; await expect(page).toHaveTitle('Closed', { timeout: 300 }) })
       test('gone', async ({ page }) => { await page.goto('http://127.0.0.1:65533/') })`,
    )
    const outcome = await run(script, {}, { attempt: 2 })
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(outcome.failure?.message).toMatch(/Expected: "Closed".*Received: "Shop"/s)
    const errors = outcome.detail.errors as { message: string }[] | undefined
    expect(errors?.map(({ message }) => /net::\w+/.exec(message)?.[0])).toEqual([
      undefined,
      'net::ERR_CONNECTION_REFUSED',
    ])
    expect(outcome.files.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['trace', 'screenshot', 'video', 'report']),
    )
  })

  it('may be plain, launch browsers itself, and leave them open', { tags: ['story'] }, async () => {
    const outcome = await run(`const { chromium } = require('playwright')
      const open = async (options) => (await (await chromium.launch(options)).newPage())
      const page = await open({})
      ${visit}
      await page.screenshot({ path: 'home.png' })
      const other = await open({ channel: 'chromium' })
      await other.goto(process.env.BASE_URL)
      console.log(await page.title(), await other.title())
      process.exit(0)`)
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.log.map(({ msg }) => msg)).toContain('Shop Shop')
    expect(outcome.files.map(({ name }) => name)).toEqual(['home.png'])
  })

  it('makes requests in several steps, with dependencies, snippets and variables', {
    tags: ['story'],
  }, async () => {
    const outcome = await run(
      `import { test, expect } from '@playwright/test'
       import { path } from '../pages/shop'
       import { upperFirst } from 'lodash'
       const { greet } = require('../../snippets/greet')
       test('api', async ({ request }) => {
         const response = await request.post(process.env.BASE_URL + path)
         expect(await response.json()).toEqual({ method: 'POST' })
         expect([upperFirst(greet('you')), process.env.NAME, process.env.TZ]).toEqual(['Hi you', 'value', 'UTC'])
       })`,
      {
        scriptPath: 'src/checks/api.spec.ts',
        dependencies: [{ path: 'src/pages/shop.ts', content: 'export const path: string = "/api"' }],
      },
      {
        checkType: 'MULTI_STEP',
        variables: { NAME: 'value' },
        snippets: [{ name: 'greet', script: "exports.greet = (who) => 'hi ' + who" }],
      },
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
  })
})

it('of an agent without privileges and spare hosts leave no process', {
  tags: ['story'],
  timeout: 120_000,
}, async ({ skip }) => {
  if (process.getuid?.() !== 0) return skip('only root can be another user')
  const script = `const { chromium } = require('playwright')
    await (await chromium.launch()).newPage()
    require('node:child_process').spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore' }).unref()
    console.log('there')
    process.exit(0)`
  const code = `
    import { openFallbackWorld } from '${new URL('./fallback-level.fixture.ts', import.meta.url)}'
    process.env.HOME = '/tmp'
    const world = await openFallbackWorld()
    const { outcome, log } = await world.run(${JSON.stringify(script)})
    await world.close()
    console.log(JSON.stringify({ outcome, lines: log.map(({ msg }) => msg), left: world.leftovers() }))`
  expect(JSON.parse(await runAsPlainAgent(code))).toEqual({ outcome: 'passed', lines: ['there'], left: [] })
  expect(processesWith('vedette-sandbox-').filter((pid) => isOf(pid, plainUid))).toEqual([])
})

const isOf = (pid: string, uid: number) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid
