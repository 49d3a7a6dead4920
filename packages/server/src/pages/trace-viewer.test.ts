// The viewer in a real browser: it opens a recorded trace, and sends no requests elsewhere.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkTypes } from '@vedette/contracts'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createArtifact } from '../testing/artifacts.ts'
import { chromiumPath } from '../testing/chromium.ts'
import { recordTrace } from '../testing/record-trace.ts'
import { insertResults } from '../testing/results.ts'
import { rewriteZip } from '../testing/zip.ts'

let api: TestApi
let shop: Server
let browser: Browser
let shopCalls = 0
const shopPage = `<!doctype html><title>Shop</title><link rel=stylesheet href=/style.css>
<h1>Pens</h1><input value=blue><button onclick="document.querySelector('h1').textContent = 'Bought'">Buy</button>`
beforeAll(async () => {
  api = await startTestApi()
  shop = createServer((request, response) => {
    const isStyle = request.url === '/style.css'
    response.setHeader('content-type', isStyle ? 'text/css' : 'text/html')
    response.end(isStyle ? 'h1 { color: rgb(1, 2, 3) }' : shopPage)
    shopCalls += 1
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
})
afterAll(async () => {
  await browser?.close()
  shop.close()
  await api.close()
})

/** Runs in the page. */
function colorOf(element: unknown): string {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle(element: unknown): { color: string }
  }
  return getComputedStyle(element).color
}

const recordShop = () =>
  recordTrace(browser, `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, 'Buy')

/** The address that opens it, on the port that this test listens on. */
async function viewerUrlOf(content: Buffer): Promise<string> {
  const { accountId } = api.alice
  const check = await api.alice.post('/v1/checks/browser', checkTypes.BROWSER.example)
  const checkId: string = check.body.id
  const scheduledAt = Date.now()
  const result = { accountId, checkId, checkType: 'BROWSER' as const, scheduledAt }
  const [resultId = ''] = await insertResults(api.store, [result])
  const trace = { type: 'trace', name: 'trace.zip', contentType: 'application/zip', content } as const
  await createArtifact(api, { accountId, checkId, resultId, scheduledAt }, trace)
  const { body } = await api.alice.get(`/v1/check-results/${checkId}/${resultId}/assets?type=trace`)
  const opened = new URL(body.assets[0].viewerUrl)
  const link = new URL(opened.searchParams.get('trace') as string)
  return `${api.url}${opened.pathname}?trace=${encodeURIComponent(api.url + link.pathname + link.search)}`
}

describe('the trace viewer', () => {
  it('shows the actions and pages of a trace, with requests to this server only', async () => {
    const url = await viewerUrlOf(await recordShop())
    shopCalls = 0
    const context = await browser.newContext()
    const asked = new Set<string>()
    const problems: string[] = []
    // The recorded page's own requests are served from the trace.
    context.on('response', (response) => {
      if (!response.fromServiceWorker()) asked.add(new URL(response.url()).origin)
    })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(url)
    const actions = page.getByTestId('actions-tree')
    await actions.getByText('Click').waitFor({ timeout: 20_000 })
    expect(await actions.textContent()).toMatch(/Navigate[\s\S]*Click/)
    await actions.getByText('Click').click()
    await page.getByText('After', { exact: true }).first().click()
    const snapshot = page.frameLocator('iframe.snapshot-visible[name=snapshot]')
    await snapshot.getByRole('heading', { name: 'Bought' }).waitFor({ timeout: 20_000 })
    const heading = snapshot.getByRole('heading')
    expect(await heading.evaluate(colorOf)).toBe('rgb(1, 2, 3)')
    // The viewer's own script ran in it: it is what puts values back and shows the page.
    expect(await snapshot.getByRole('textbox').inputValue()).toBe('blue')
    expect([[...asked], shopCalls]).toEqual([[api.url], 0])
    expect(problems).toEqual([])
    await context.close()
  })

  it('runs no code of a trace', async () => {
    // Code that a hostile trace tries to run in the browser.
    const hostile =
      '"Bought",["IMG",{"src":"data:,","onerror":"top.ran = true"}],["SCRIPT",{},"top.ran = true"]'
    const trace = rewriteZip(await recordShop(), (_name, text) => text.replaceAll('"Bought"', hostile))
    const context = await browser.newContext()
    const page = await context.newPage()
    const policies: (string | undefined)[] = []
    page.on('response', (response) => {
      if (response.url().includes('/trace-viewer/snapshot/'))
        policies.push(response.headers()['content-security-policy'])
    })
    await page.goto(await viewerUrlOf(trace))
    await page.getByTestId('actions-tree').getByText('Click').click()
    await page.getByText('After', { exact: true }).first().click()
    const snapshot = page.frameLocator('iframe.snapshot-visible[name=snapshot]')
    await snapshot.getByRole('heading', { name: 'Bought' }).waitFor({ timeout: 20_000 })
    await expect(snapshot.locator('img').count()).resolves.toBe(1)
    expect(policies.length).toBeGreaterThan(0)
    for (const policy of policies) {
      expect(policy).toMatch(/script-src 'nonce-/)
      expect(policy).toMatch(/connect-src 'none'/)
    }
    expect(await page.evaluate('window.ran')).toBeUndefined()
    await context.close()
  })

  it('is served unchanged, with its own policy, and no other files', async () => {
    const index = await fetch(`${api.url}/trace-viewer/`)
    expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(index.headers.get('cache-control')).toBe('no-cache')
    expect(index.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*connect-src 127\.0\.0\.1:\d+\/trace-viewer\/ vedette\.test\/trace-viewer\/ 127\.0\.0\.1:\d+\/assets\/ /,
    )
    const script = /src="\.\/(index\.[\w-]+\.js)"/.exec(await index.text())?.[1]
    const response = await fetch(`${api.url}/trace-viewer/${script}`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bare = await fetch(`${api.url}/trace-viewer?trace=a%20b`, { redirect: 'manual' })
    expect([bare.status, bare.headers.get('location')]).toEqual([302, '/trace-viewer/?trace=a%20b'])
    for (const path of ['package.json', '..%2f..%2fpackage.json', 'none.js'])
      expect((await fetch(`${api.url}/trace-viewer/${path}`)).status, path).toBe(404)
  })
})
