// Markup in every text that users, targets and scripts write: the app shows it as text. The content security policy is off here, so
// that nothing but the app itself keeps it from running.
import { checkTypes, isCodeType } from '@vedette/contracts'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createArtifact } from '../testing/artifacts.ts'
import { chromiumPath } from '../testing/chromium.ts'
import { createFixtures } from '../testing/fixtures.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { giveTestPassword, testPassword } from '../testing/sign-in.ts'

const code = 'ran=1'
/** Within the 100 characters that names may have. */
const markup = `"'><img hit src=x onerror=${code}><svg hit onload=${code}></svg><script hit>${code}</script>`
const script = `javascript:${code}`

let api: TestApi
let context: BrowserContext
let page: Page
const written: string[] = []

beforeAll(async () => {
  api = await startTestApi()
  const { ids } = await createFixtures(api, api.alice)
  await api.alice.post('/v1/deployments', {
    environmentName: 'production',
    environmentUrl: 'https://shop.example.com',
    repository: 'acme/shop',
    sha: '9b1f5a3e6d0c',
  })
  await insertEvidence(ids)
  const email = await giveTestPassword(api, api.alice.userId)
  await fillTexts()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  context = await browser.newContext({ bypassCSP: true, viewport: { width: 1440, height: 2000 } })
  page = await context.newPage()
  await page.goto(`${api.url}/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return () => browser.close()
}, 120_000)
afterAll(() => api.close())

/** Runs of every kind of evidence that the app shows, with a passing one before for the comparison. */
async function insertEvidence(ids: Record<string, string | number>): Promise<void> {
  const failure = { kind: 'assertion', message: markup, phase: 'judge' } as const
  const line = { time: 1, msg: markup, level: markup }
  const pair = { [markup]: markup, location: script }
  const assertion = {
    ...{ source: 'JSON_BODY', comparison: 'EQUALS', property: markup, target: markup },
    ...{ actual: markup, error: markup },
  }
  const response = {
    ...{
      status: 503,
      statusText: markup,
      body: `<p>${markup}</p>`,
      headers: { 'content-type': 'text/html', ...pair },
    },
    resolvedIp: markup,
  }
  const request = {
    method: 'GET',
    url: `https://example.com/?${markup}`,
    data: markup,
    headers: pair,
    params: pair,
  }
  const step = { title: markup, name: markup, type: markup, output: markup, sequenceNumber: 1 }
  const observed = {
    ...{
      request,
      response,
      requestError: markup,
      ip: markup,
      tls: null,
      tried: [],
      summary: markup,
      prompt: markup,
    },
    redirects: [{ status: 302, url: script, location: script }],
    errors: [{ message: markup, stack: markup }, { error: { message: markup, stack: markup } }, markup],
    pages: [{ url: script, webVitals: { FCP: { value: 1 } } }],
    steps: [{ ...step, steps: [step] }],
    tests: [{ title: markup, steps: [step], results: [{ status: markup, errors: [{ message: markup }] }] }],
    hops: [{ hop: 1, ip: markup, hostname: markup }],
  }
  const now = Date.now()
  const types = Object.values(checkTypes).filter(({ type }) => type !== 'HEARTBEAT')
  for (const { type: checkType, path } of types) {
    const checkId = String(ids[path])
    const isCode = isCodeType(checkType)
    const jobLog = isCode ? [line] : { setup: [line], request: [line], teardown: [line] }
    const of = { accountId: api.alice.accountId, checkId, checkType }
    const passing = { observed: { ...observed, response: { ...response, status: 200, body: 'ok' } } }
    const detail = JSON.stringify({ failure, assertions: isCode ? [] : [assertion], observed, jobLog })
    const results: SomeResult[] = [
      {
        ...of,
        scheduledAt: now - 600_000,
        detail: JSON.stringify({ failure: null, assertions: [], ...passing }),
      },
      { ...of, scheduledAt: now - 60_000, hasFailures: true, failure, statusCode: 503, detail },
    ]
    const [, resultId = ''] = await insertResults(api.store, results)
    if (!isCode) continue
    const file = { ...of, resultId, scheduledAt: now - 60_000 }
    await createArtifact(api, file, { name: `shots/${markup}.png`, content: 'x' })
    await createArtifact(api, file, {
      type: 'trace',
      name: `${markup}.zip`,
      contentType: 'application/zip',
      content: 'x',
    })
    await createArtifact(api, file, {
      type: 'report',
      name: `${markup}.html`,
      contentType: 'text/html',
      content: markup,
    })
  }
}

/** Columns whose names say that people or targets write them; new tables are included. Those with other rules keep their values. */
async function fillTexts(): Promise<void> {
  const { pool } = api.store
  const { rows } = await pool.query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'character varying', 'ARRAY')
       and column_name ~ '(^|_)(name|title|description|message|repository|url|script|agent|header|footer|text|comment|context|prompt|summary|tags|label|author|logo|link|reason|value|sha)$'
       and column_name !~ 'slug|hash|custom_url|proxy' and table_name not in ('schema_migrations', 'artifacts', 'artifact_blobs')
       and table_name !~ '_\\d{6,8}$'`,
  )
  for (const { table, column, type } of rows) {
    const isUrl = /(^|_)(url|link|logo)$/.test(column)
    const value = isUrl ? `$1` : `$1 || ' ' || ctid::text`
    const text = type === 'ARRAY' ? `array[$1::text]` : value
    const filled = await pool
      .query(`update ${table} set ${column} = ${text} where ${column} is not null`, [isUrl ? script : markup])
      .catch(() => null)
    if (filled !== null && (filled.rowCount ?? 0) > 0) written.push(`${table}.${column}`)
  }
}

it('has markup in the texts of all areas', () => {
  expect(written).toEqual(
    expect.arrayContaining([
      ...['accounts.name', 'checks.name', 'checks.tags', 'check_groups.name', 'users.name', 'snippets.name'],
      ...[
        'maintenance_windows.name',
        'private_locations.name',
        'status_pages.name',
        'incidents.name',
        'deployments.repository',
      ],
      ...[
        'error_groups.raw_error_message',
        'results.failure_message',
        'api_keys.name',
        'incident_updates.description',
      ],
    ]),
  )
})

/** Addresses with other ids are the same screen. */
const screenOf = (path: string) =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    .replace(/\/\d+\b/g, '/:id')
    .replace(/=[^&]*/g, (value) => (/tab|type/.test(path) ? value : '='))
/** Of checks and results: those of different types look different. */
const visitsPerScreen = 14

it('shows it as text on every screen that links lead to', { timeout: 300_000 }, async () => {
  const failures: string[] = []
  page.on('pageerror', (error) => failures.push(`${page.url()}: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) failures.push(`${response.url()}: ${response.status()}`)
  })
  const waiting = [
    '/',
    '/checks',
    '/settings',
    '/alerts',
    '/sessions',
    '/status-pages',
    '/dashboards',
    '/maintenance',
  ]
  waiting.push('/locations', '/reports', '/services', '/incidents')
  const visited = new Map<string, number>()
  const seen = new Set(waiting)
  const showing = new Set<string>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const screen = screenOf(path)
    const count = visited.get(screen) ?? 0
    if (count >= (/^\/checks\/:id/.test(screen) ? visitsPerScreen : 3)) continue
    visited.set(screen, count + 1)
    await page.goto(api.url + path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('.progress.busy, .skeleton').first().waitFor({ state: 'detached' })
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await page.locator('.progress.busy, .skeleton').first().waitFor({ state: 'detached' })
      await inspect(screen)
      await collectLinks()
    }
    for (const closed of await page
      .locator('main summary, main [aria-expanded=false]:not([aria-haspopup])')
      .all())
      await closed.click({ timeout: 1_000 }).catch(() => null)
    await inspect(screen)
    await collectLinks()
  }

  async function inspect(screen: string): Promise<void> {
    const found = await page.evaluate<{
      ran: unknown
      elements: number
      links: string[]
      isShown: boolean
    }>(`({
      ran: window.ran ?? null,
      elements: document.querySelectorAll('[hit]').length,
      links: [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((element) =>
        ['href', 'src', 'action', 'formaction'].flatMap((name) => /^\\s*javascript:/i.test(element.getAttribute(name) ?? '') ? [element.outerHTML] : [])),
      isShown: document.body.innerText.includes('<img hit'),
    })`)
    if (found.isShown) showing.add(screen)
    const { isShown: _, ...harm } = found
    expect(harm, screen).toEqual({ ran: null, elements: 0, links: [] })
  }

  async function collectLinks(): Promise<void> {
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.getAttribute('href'))`,
    )
    for (const link of links) {
      const path = link.split('#')[0] ?? ''
      if (seen.has(path) || /^\/(docs|assets|trace-viewer|v1|s|d|r)(\/|$)/.test(path)) continue
      seen.add(path)
      waiting.push(path)
    }
  }

  expect(failures).toEqual([])
  for (const screen of ['/', '/checks', '/checks/:id', '/checks/:id/results/:id'])
    expect([screen, showing.has(screen)]).toEqual([screen, true])
})
