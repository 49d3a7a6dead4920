// Typical Playwright tests, which run as a file of a suite and as the script of a browser check.
export const everydaySpec = `import { test as base, expect } from '@playwright/test'
import { readFileSync } from 'node:fs'

const test = base.extend<{ visitor: { name: string } }, { counter: { count: number } }>({
  counter: [async ({}, use) => { await use({ count: 0 }) }, { scope: 'worker' }],
  visitor: async ({ counter, page }, use) => {
    counter.count += 1
    await page.goto('/')
    await use({ name: 'visitor ' + counter.count })
    await page.close()
  },
})

test.use({ baseURL: process.env.SHOP_URL, locale: 'de-CH', viewport: { width: 900, height: 600 } })
test.describe.configure({ retries: 1 })

test('fixtures: the first visitor', async ({ visitor, page }) => {
  expect(visitor.name).toBe('visitor 1')
  await expect(page).toHaveURL(process.env.SHOP_URL + '/')
  expect(await page.evaluate(() => [navigator.language, innerWidth])).toEqual(['de-CH', 900])
})

test('fixtures: the worker counts on', async ({ visitor }) => {
  expect(visitor.name).toBe('visitor 2')
})

test('page.route: a mocked response', async ({ page }) => {
  await page.route('**/api/products', (route) => route.fulfill({ json: [{ id: 'only' }] }))
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('data-products', '1')
})

test('page.route: images are refused', async ({ page }) => {
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(new URL(request.url()).pathname))
  await page.route('**/*.svg', (route) => route.abort())
  await page.goto('/')
  await expect.poll(() => failed.sort()).toEqual(['ink', 'paper', 'pen', 'seal'].map((id) => '/assets/' + id + '.svg'))
})

test('page.on: console, requests and dialogs', async ({ page }) => {
  const lines: string[] = []
  const requests = new Set<string>()
  page.on('console', (message) => lines.push(message.type() + ' ' + message.text()))
  page.on('request', (request) => requests.add(request.method() + ' ' + new URL(request.url()).pathname))
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto('/desk')
  await page.evaluate(() => console.warn('mind the step'))
  await page.getByRole('button', { name: 'Ask' }).click()
  await expect(page.locator('#choice')).toHaveText('wrapped')
  expect(lines).toContain('warning mind the step')
  expect([...requests]).toEqual(expect.arrayContaining(['GET /desk', 'GET /assets/style.css']))
})

test('websockets', async ({ page }) => {
  const frames: string[] = []
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))))
  await page.goto('/desk')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.locator('#echoes li')).toHaveText(['good day'])
  expect(frames).toEqual(['good day'])
})

test('the request context shares the cookies of its page', async ({ page, request, playwright }) => {
  const form = { user: 'alice', password: 'nib and feather' }
  expect((await page.request.post('/login', { form })).ok()).toBe(true)
  expect(await (await page.request.get('/api/me')).json()).toEqual({ user: 'alice' })
  expect(await (await request.get('/api/me')).json()).toEqual({ user: null })
  const other = await playwright.request.newContext({ baseURL: process.env.SHOP_URL, extraHTTPHeaders: { 'x-own': 'yes' } })
  expect((await (await other.get('/api/mirror')).json()).headers['x-own']).toBe('yes')
  await other.dispose()
})

test('retries: fails first, then passes', async ({}, { retry }) => {
  expect(retry).toBe(1)
})

test('test.step: a value comes out of it', async ({ page }) => {
  const count = await test.step('count the products', async () => {
    await page.goto('/')
    return page.getByTestId('product').count()
  })
  expect(count).toBe(4)
})

test('soft assertions: all of them are reported', async ({ page }) => {
  test.fail()
  await page.goto('/')
  await expect.soft(page, 'a wrong title').toHaveTitle('The butcher', { timeout: 200 })
  expect.soft(1, 'a wrong number').toBe(2)
  expect(test.info().errors).toHaveLength(2)
})

test('downloads', async ({ page }) => {
  await page.goto('/')
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Price list' }).click()
  const download = await coming
  expect(download.suggestedFilename()).toBe('catalogue.csv')
  expect(readFileSync(await download.path(), 'utf8')).toContain('pen,Fountain pen,€24.00')
})

test('multiple tabs', async ({ page, context, browser }) => {
  await page.goto('/')
  const opening = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Terms' }).click()
  const tab = await opening
  await expect(tab.getByRole('heading')).toHaveText('Terms of the shop')
  expect(context.pages()).toHaveLength(2)
  const other = await browser.newContext()
  expect((await other.newPage()).context().pages()).toHaveLength(1)
  await other.close()
})

test('expect.poll and toPass', async ({ page }) => {
  await page.goto('/desk')
  await expect.poll(() => page.locator('#ticks').innerText().then(Number)).toBeGreaterThan(2)
  await expect(async () => expect(await page.locator('#ticks').innerText()).toBe('5')).toPass({ timeout: 5000 })
})

for (const [query, count] of [['pen', 1], ['e', 4], ['nothing', 0]] as const) {
  test('parametrised: ' + query, async ({ page }) => {
    await page.goto('/search?q=' + query)
    await expect(page.getByTestId('product')).toHaveCount(count)
  })
}

test.skip('skipped: not today', async () => {})
`

/** The expected outcomes. */
export const everydayOutcomes = {
  'fixtures: the first visitor': 'expected',
  'fixtures: the worker counts on': 'expected',
  'page.route: a mocked response': 'expected',
  'page.route: images are refused': 'expected',
  'page.on: console, requests and dialogs': 'expected',
  websockets: 'expected',
  'the request context shares the cookies of its page': 'expected',
  'retries: fails first, then passes': 'flaky',
  'test.step: a value comes out of it': 'expected',
  'soft assertions: all of them are reported': 'expected',
  downloads: 'expected',
  'multiple tabs': 'expected',
  'expect.poll and toPass': 'expected',
  'parametrised: pen': 'expected',
  'parametrised: e': 'expected',
  'parametrised: nothing': 'expected',
  'skipped: not today': 'skipped',
}
