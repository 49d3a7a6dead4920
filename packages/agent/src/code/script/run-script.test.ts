// Scripts as people write them, in a real cell, with the real runtime and a real browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutRuntime, hashRuntime, writesIntoRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import { openScriptWorld, type ScriptWorld } from './script.fixture.ts'

let world: ScriptWorld
beforeAll(async () => {
  world = await openScriptWorld()
}, 300_000)
afterAll(() => world.close())

const test = (body: string) => `import { test, expect } from '@playwright/test'\n${body}`
const markable = (body: string) =>
  test(`import { markCheckAsDegraded } from '@vedette/playwright-helpers'\n${body}`)
const visit = "await page.goto(process.env.BASE_URL + '/')"

describe('the files of a script', { timeout: 90_000 }, () => {
  it.each(writesIntoRuntime)(
    'never change the runtime: %s',
    { tags: ['story'] },
    async (_name, { check, snippets }) => {
      const before = hashRuntime(await checkoutRuntime())
      const job = { ...(snippets && { snippets }) }
      await expect(world.run('1', { check: { ...check }, job })).rejects.toThrow(
        /is not allowed|can't be written/,
      )
      expect(hashRuntime(await checkoutRuntime())).toBe(before)
    },
  )

  it('can import each other, and are not part of the output', {
    tags: ['story'],
  }, async () => {
    const dependencies = [
      { path: './shop/lib/helper.ts', content: "export { word } from './deep/word'" },
      { path: 'shop/lib/deep/word.ts', content: "export const word: string = 'found'" },
    ]
    const script = `import { word } from './lib/helper'\nimport { writeFileSync } from 'node:fs'
      test('finds', () => { expect(word).toBe('found'); writeFileSync('left.txt', word) })`
    const check = { scriptPath: 'shop/find.spec.ts', dependencies }
    const outcome = await world.run(test(script), { check })
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.files.map(({ name }) => name).sort()).toEqual(['left.txt', 'report.json'])
  })
})

describe('a script that leaves handles open', { timeout: 120_000 }, () => {
  // Without an end of their own they would run into this limit, and fail.
  const limitMs = 100_000
  const launch = "const { chromium } = require('playwright')\n"
  const page = 'const page = await (await chromium.launch()).newPage()'

  it.each([
    ['a browser', `${launch}${page}\n${visit}\nconsole.log('done', await page.title())`],
    [
      'a browser, in work without await',
      `${launch};(async () => { ${page}; ${visit}; console.log('done Shop') })()`,
    ],
    ['an interval', "setInterval(() => {}, 100)\nconsole.log('done Shop')"],
    ['a server', "require('node:http').createServer().listen(0)\nconsole.log('done Shop')"],
  ])('ends once its work is done, with a warning: %s', { tags: ['story'] }, expectWarning)
  async function expectWarning(_name: string, script: string): Promise<void> {
    const outcome = await world.run(script, { limitMs })
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    const lines = outcome.log.map(({ msg }) => msg)
    expect(lines).toContain('done Shop')
    expect(lines.join('\n')).toContain('The script left handles open')
  }

  it.each([
    [
      'a page that takes its time',
      'await page.evaluate(() => new Promise((settle) => setTimeout(settle, 8_000)))',
    ],
    ['a timer', 'await new Promise((settle) => setTimeout(settle, 8_000))'],
    [
      'a request',
      "await new Promise((settle) => require('node:http').get(process.env.BASE_URL + '/slow', settle))",
    ],
  ])('is not ended while %s is pending without await', { tags: ['story'] }, async (_name, wait) => {
    const outcome = await world.run(
      `${launch};(async () => { ${page}; ${wait}; throw new Error('after it') })()`,
      {
        limitMs,
      },
    )
    expect(outcome).toMatchObject({ outcome: 'failed' })
    expect(outcome.failure?.message).toContain('after it')
  })

  it('of the test runner ends with its last test', { tags: ['story'] }, async () => {
    const outcome = await world.run(
      test(`import { chromium } from 'playwright'
        test('opens', async () => {
          await (await chromium.launch()).newPage()
          setInterval(() => {}, 100)
          require('node:http').createServer().listen(0)
        })`),
      { limitMs },
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
  })
})

describe('a script of the test runner', { timeout: 90_000 }, () => {
  it('passes, and reports its pages', async () => {
    const outcome = await world.run(
      test(`test('shop', async ({ page }) => {
        ${visit}
        await expect(page).toHaveTitle('Shop')
        await test.step('greets', () => test.step('loudly', () => console.log('seen', process.env.CHECK_NAME)))
        // A page that is closed before its first paint has no FCP; on a busy machine the script can be faster.
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
        await page.evaluate(() => window.__vedetteFlush())
      })`),
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.log.map(({ msg }) => msg)).toContain('seen Shop')
    expect(outcome.detail.tests).toMatchObject([
      {
        title: 'shop',
        duration: expect.any(Number),
        steps: [
          { title: 'greets', duration: expect.any(Number), hasFailed: false },
          { title: 'greets › loudly', hasFailed: false },
        ],
      },
    ])
    const { traceSummary, pages, type, runtimeVersion } = outcome.detail as Record<string, unknown>
    expect({ type, runtimeVersion }).toEqual({ type: 'PLAYWRIGHT_TEST', runtimeVersion: '2026.04' })
    expect(traceSummary).toMatchObject({ networkErrors: 1, documentErrors: 0, userScriptErrors: 0 })
    expect((pages as { url: string; webVitals: object }[])[0]).toMatchObject({
      url: `${world.baseUrl}/`,
      webVitals: {
        TTFB: { score: expect.stringMatching(/^(GOOD|NEEDS_IMPROVEMENT|POOR)$/) },
        FCP: { value: expect.any(Number) },
        CLS: { value: 0 },
      },
    })
    expect(outcome.metrics).toMatchObject({ networkErrors: 1, TTFB: expect.any(Number) })
    expect(outcome.files.map(({ type: kind, name }) => `${kind} ${name}`)).toEqual(['report report.json'])
  })

  it('keeps trace and screenshot of a passing run if the check demands it', { tags: ['story'] }, async () => {
    const script = test(`test('shop', async ({ page }) => { ${visit} })`)
    const outcome = await world.run(script, { check: { keepEvidence: 'ALWAYS' } })
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.files.map(({ type }) => type).sort()).toEqual(['report', 'screenshot', 'trace'])
  })

  it('measures the worst window of layout shifts, and blocking after the first paint', {
    tags: ['story'],
  }, async () => {
    const outcome = await world.run(
      markable(`test('vitals', async ({ page }) => {
        ${visit}
        await page.setContent('<div id="box" style="position:absolute;top:0;width:100%;height:400px;background:red">box</div>')
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
        const shifts = await page.evaluate(async () => {
          const seen = []
          new PerformanceObserver((list) => seen.push(...list.getEntries().map(({ value, startTime }) => ({ value, startTime }))))
            .observe({ type: 'layout-shift', buffered: true })
          const frames = (count) => new Promise((done) => {
            const step = () => (count-- > 0 ? requestAnimationFrame(step) : done())
            step()
          })
          const box = document.getElementById('box')
          const until = async (count) => { while (seen.length < count) await frames(1) }
          const gap = async () => {
            const since = performance.now()
            while (performance.now() - since < 1200) await frames(1)
          }
          await frames(3)
          box.style.top = '120px'
          await until(1)
          await gap()
          box.style.top = '300px'
          await until(2)
          const begin = performance.now()
          while (performance.now() - begin < 120);
          await frames(3)
          return seen
        })
        console.log('shifts', JSON.stringify(shifts))
        await page.evaluate(() => window.__vedetteFlush())
      })`),
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    const line = outcome.log.map(({ msg }) => msg).find((msg) => msg.startsWith('shifts ')) ?? ''
    const shifts = JSON.parse(line.slice('shifts '.length)) as { value: number; startTime: number }[]
    const isFirst = (at: number) => at < (shifts.at(-1)?.startTime ?? 0) - 1_000
    const sumOf = (window: typeof shifts) => window.reduce((sum, { value }) => sum + value, 0)
    const windows = [
      shifts.filter(({ startTime }) => isFirst(startTime)),
      shifts.filter(({ startTime }) => !isFirst(startTime)),
    ].map(sumOf)
    expect(Math.min(...windows)).toBeGreaterThan(0.01)
    const { CLS, LCP, TBT } = outcome.metrics as Record<string, number>
    expect(CLS).toBeCloseTo(Math.max(...windows), 2)
    expect(CLS).toBeLessThan(sumOf(shifts) - 0.01)
    expect(LCP).toBeGreaterThan(0)
    expect(TBT).toBeGreaterThanOrEqual(60)
  })

  it('fails despite a degraded mark, with the error, a trace and a screenshot', async () => {
    const outcome = await world.run(
      markable(`test('shop', async ({ page }) => {
        markCheckAsDegraded('slow')
        ${visit}
        await expect(page).toHaveTitle('Closed', { timeout: 300 })
      })`),
    )
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(outcome.failure?.message).toMatch(
      /toHaveTitle\(expected\) failed.*Expected: "Closed".*Received: "Shop"/s,
    )
    const kinds = outcome.files.map(({ type }) => type)
    expect(kinds).toEqual(expect.arrayContaining(['trace', 'screenshot', 'report']))
  })

  it('reports network errors like a browser without a proxy, and records a video in a retry', {
    tags: ['story'],
  }, async () => {
    const outcome = await world.run(
      test(`test('a', async ({ page }) => { await page.goto('http://127.0.0.1:65533/') })
        test('b', async ({ page }) => { await page.goto('http://nowhere.invalid/') })`),
      { job: { attempt: 2 } },
    )
    const { errors } = outcome.detail as { errors: { message: string }[] }
    expect(errors.map(({ message }) => /net::\w+/.exec(message)?.[0])).toEqual([
      'net::ERR_CONNECTION_REFUSED',
      'net::ERR_NAME_NOT_RESOLVED',
    ])
    expect(outcome.files.map(({ type }) => type)).toContain('video')
  })

  it.each([
    ['soft failures with a mark', "expect.soft(1).toBe(2); markCheckAsDegraded('slow')", 'degraded'],
    ['soft failures without a mark', 'expect.soft(1).toBe(2)', 'failed'],
    [
      'a timeout in spite of a mark',
      "markCheckAsDegraded('slow'); test.setTimeout(300); await new Promise(() => {})",
      'failed',
    ],
  ])('%s', { tags: ['story'] }, async (_name, body, expected) => {
    const outcome = await world.run(markable(`test('shop', async () => { ${body} })`))
    expect(outcome.outcome).toBe(expected)
  })

  it('finds its dependencies, snippets and variables, in TypeScript, and is degraded by a mark', {
    tags: ['story'],
  }, async () => {
    const outcome = await world.run(
      markable(`import { title } from '../pages/shop'
       const snippet = require('../../snippets/greet')
       enum Kind { A = 'a' }
       test('all there', async ({ request }) => {
         const response = await request.get(process.env.BASE_URL + '/api')
         expect(await response.json()).toEqual({ method: 'GET', ok: true })
         expect([title as string, snippet.greet('you'), process.env.NAME, Kind.A, process.env.TZ]).toEqual(['Shop', 'hi you', 'value', 'a', 'UTC'])
         markCheckAsDegraded('slow')
       })`),
      {
        check: {
          scriptPath: 'src/checks/home.spec.ts',
          dependencies: [{ path: 'src/pages/shop.ts', content: 'export const title: string = "Shop"' }],
        },
        job: {
          variables: { NAME: 'value' },
          snippets: [{ name: 'greet', script: "exports.greet = (who) => 'hi ' + who" }],
        },
      },
    )
    expect(outcome).toMatchObject({ outcome: 'degraded', failure: null })
  })

  it('has later tests begin afresh after a failed one', async () => {
    const outcome = await world.run(
      test(`import { createServer } from 'node:http'
        test.beforeAll(() => new Promise((settle, fail) => createServer().on('error', fail).listen(48123, settle)))
        test('fails', () => {
          globalThis.left = true
          process.chdir('/')
          // Without a parent: the worker has ended.
          setInterval(() => { if (!process.send) throw new Error('left behind') }, 1)
          expect(1).toBe(2)
        })
        test('goes on', () => {
          expect([globalThis.left, process.env.TEST_WORKER_INDEX, process.cwd() === '/']).toEqual([undefined, '1', false])
          console.log('went on')
        })`),
    )
    expect(outcome.detail.tests).toMatchObject([{ outcome: 'unexpected' }, { outcome: 'expected' }])
    expect(outcome.detail.errors).toEqual([
      { message: expect.stringContaining('toBe'), stack: expect.any(String) },
    ])
    expect(outcome.log.filter(({ msg }) => msg === 'went on')).toHaveLength(1)
  })

  it.each([
    ['ends its process', 'process.exit(3)', /worker process exited unexpectedly \(code=3/],
    [
      'throws beside its promise',
      "setTimeout(() => { throw new Error('beside') }); await new Promise(() => {})",
      /beside/,
    ],
    [
      'rejects beside its promise',
      "void Promise.reject(new Error('aside')); await new Promise(() => {})",
      /aside/,
    ],
  ])('fails by a test that %s, and runs the next one', { tags: ['story'] }, async (_name, body, message) => {
    const outcome = await world.run(test(`test('fails', async () => { ${body} })\ntest('goes on', () => {})`))
    expect(outcome.failure?.message).toMatch(message)
    expect(outcome.detail.errors).toHaveLength(1)
    expect(outcome.detail.tests).toMatchObject([{ outcome: 'unexpected' }, { outcome: 'expected' }])
  })

  it('without tests, with a syntax error or a bad path fails with a message', {
    tags: ['story'],
  }, async () => {
    const none = await world.run(test(''))
    expect(none.failure?.message).toMatch(/No tests found|has no tests/)
    const broken = await world.run(test('test('))
    expect(broken).toMatchObject({ outcome: 'failed' })
    expect(broken.failure?.message).toMatch(/SyntaxError/)
    await expect(world.run('1', { check: { scriptPath: '../../etc/x' } })).rejects.toThrow(
      /is not allowed: it leaves the directory/,
    )
  })
})

describe('a plain script', { timeout: 90_000 }, () => {
  it('can use require and top-level await, and its files are kept', { tags: ['story'] }, async () => {
    const outcome = await world.run(`const { chromium } = require('playwright')
      const browser = await chromium.launch()
      const page = await browser.newPage()
      ${visit}
      await page.screenshot({ path: 'shots/home.png' })
      console.log(await page.title())
      await browser.close()`)
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcome.detail).toMatchObject({ type: 'PLAYWRIGHT', traceSummary: { networkErrors: 1 } })
    expect((outcome.detail.pages as unknown[]).length).toBe(1)
    expect(outcome.files.map(({ type, name }) => `${type} ${name}`)).toEqual(['screenshot shots/home.png'])
    expect(outcome.log.map(({ msg }) => msg)).toContain('Shop')
  })

  it.each([
    [
      'imports',
      "import { chromium } from 'playwright'\nconst x: number = 1\nexport {}\nif (!chromium || x !== 1) throw new Error('no')",
    ],
    [
      'imports and awaits at its top',
      "import { request } from 'playwright'\nconst api = await request.newContext()\nconst response = await api.get(process.env.BASE_URL + '/api')\nif (!response.ok()) throw new Error('no')",
    ],
    [
      'an async main',
      "const run = async () => { const { request } = require('playwright'); await (await request.newContext()).get(process.env.BASE_URL + '/api') }\nrun()",
    ],
  ])('of any kind: %s', { tags: ['story'] }, async (_name, script) => {
    const outcome = await world.run(script)
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null })
  })

  it('fails with what it throws', () => expectFailure("throw new Error('out of stock')", 'out of stock'))
  it.each([
    [
      'an unhandled rejection',
      "Promise.reject(new Error('lost'))\nawait new Promise((done) => setTimeout(done, 1000))",
      'lost',
    ],
    ['leaving with a code', 'process.exit(3)', 'The script exited with code 3'],
  ])('fails with %s', { tags: ['story'] }, (_name, script, message) => expectFailure(script, message))

  async function expectFailure(script: string, message: string): Promise<void> {
    const outcome = await world.run(script)
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'script' } })
    expect(outcome.failure?.message).toContain(message)
  }

  it('is ended when its time is up, and keeps no files', { tags: ['story'] }, async () => {
    const outcome = await world.run("require('fs').writeFileSync('a.png', ''); for (;;);", { limitMs: 3_000 })
    expect(outcome).toMatchObject({ outcome: 'failed', failure: { kind: 'timeout' }, files: [] })
    expect(outcome.failure?.message).toContain('maximum run time of 3000 ms')
  })

  it('is ended when it is canceled', { tags: ['story'] }, async () => {
    const controller = new AbortController()
    const hasBegun = world.waitForRequest('/begun')
    const running = world.run(
      `await fetch(process.env.BASE_URL + '/begun')
       await new Promise(() => setInterval(() => {}, 1000))`,
      { signal: controller.signal },
    )
    await hasBegun
    controller.abort(new DOMException('cancelled', 'AbortError'))
    expect((await running).outcome).toBe('failed')
  })

  it('passes on each line while it runs', async () => {
    const controller = new AbortController()
    const lines: string[] = []
    const outcome = await world.run(
      `console.log('begun')
       await new Promise(() => setInterval(() => {}, 1000))`,
      {
        signal: controller.signal,
        // The script ends only because the line arrived.
        onLine({ msg }) {
          lines.push(msg)
          controller.abort(new DOMException('cancelled', 'AbortError'))
        },
      },
    )
    expect(lines[0]).toBe('begun')
    expect(outcome.failure?.kind).not.toBe('timeout')
  })

  it('reports secrets that it set, and sees nothing of the run before', async () => {
    const before = await world.run(
      `process.env.SERVICE_SECRET_TOKEN = 'abc-123-secret'
       process.env.OTHER = 'x'
       require('fs').writeFileSync('/tmp/left', 'x')
       require('fs').writeFileSync('left', 'x')`,
    )
    expect(before).toMatchObject({ outcome: 'passed', foundSecrets: ['abc-123-secret'] })
    const outcome = await world.run(
      `const fs = require('fs')
       if (fs.existsSync('/tmp/left') || fs.existsSync('left') || process.env.OTHER) throw new Error('not clean')`,
    )
    expect(outcome).toMatchObject({ outcome: 'passed', failure: null, foundSecrets: [] })
  })
})
