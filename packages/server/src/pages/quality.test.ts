// Every public page in a real browser: accessible, valid, complete without scripts, and one request. The suite has all parts that
// pages are made of; stories have all pages, widths and themes.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { HtmlValidate } from 'html-validate'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../testing/chromium.ts'
import { openShowcase, type Showcase, shownPages } from '../testing/showcase.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Pages are refreshed without scripts too.
    'meta-refresh': 'off',
    'long-title': 'off',
  },
})

const inSuite = new Set<string>(['status-incident', 'maintenance', 'subscribe', 'dashboard'])

let showcase: Showcase
let browser: Browser
/** A context takes longer than a page. */
let contexts: { on: BrowserContext; off: BrowserContext }

beforeAll(async () => {
  showcase = await openShowcase()
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  contexts = { on: await browser.newContext(), off: await browser.newContext({ javaScriptEnabled: false }) }
}, 120_000)
afterAll(async () => {
  await browser.close()
  await showcase.close()
})

describe.each(shownPages)('the page %s', (name) => {
  it('is valid HTML', async () => {
    const { text } = await showcase.api.nobody.get(showcase.paths[name])
    const report = await validator.validateString(text)
    const messages = report.results.flatMap((result) => result.messages)
    expect(messages.map(({ ruleId, message, line }) => `${line}: ${ruleId}: ${message}`)).toEqual([])
  })

  const tags = inSuite.has(name) ? [] : ['story']

  it('is accessible, fits and needs no other request', { tags }, () => expectAccessible(name, 390, 'dark'))

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [320, 'light'],
  ] as const)('is accessible and fits at %i px, %s', { tags: ['story'] }, (width, theme) =>
    expectAccessible(name, width, theme),
  )

  it('shows the same without scripts', { tags }, async () => {
    const texts: string[] = []
    for (const context of [contexts.on, contexts.off]) {
      const page = await context.newPage()
      await page.goto(showcase.api.url + showcase.paths[name])
      texts.push(await page.locator('body').innerText())
      await page.close()
    }
    expect(texts[0]).not.toBe('')
    expect(texts[1]).toBe(texts[0])
  })
})

async function expectAccessible(
  name: keyof Showcase['paths'],
  width: number,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const page = await browser.newPage({
    ...{ viewport: { width, height: 900 }, colorScheme, bypassCSP: true },
  })
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.goto(showcase.api.url + showcase.paths[name])
  expect(requested).toHaveLength(1)
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  await page.evaluate(axe)
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
  )
  expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  await page.close()
}
