// Pictures of the public pages for the documentation: SCREENSHOTS=docs/images npm run stories -- screenshots
import { mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../testing/chromium.ts'
import { exampleMail, openShowcase, type Showcase } from '../testing/showcase.ts'

const folder = resolve(process.env.SCREENSHOTS ?? mkdtempSync(join(tmpdir(), 'vedette-screenshots-')))

let showcase: Showcase
let browser: Browser

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  showcase = await openShowcase()
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}, 120_000)
afterAll(async () => {
  await browser.close()
  await showcase.close()
})

const pictured = [
  ...(['status-calm', 'status-incident', 'status-maintenance', 'incident', 'subscribe'] as const),
  ...(['dashboard', 'dashboard-check', 'mail'] as const),
]
const pictures = pictured.flatMap((name) =>
  [1440, 390].flatMap((width) => ['light', 'dark'].map((theme) => ({ name, width, theme }) as const)),
)

describe('pictures', () => {
  it.each(pictures)('$name, $width px, $theme', async ({ name, width, theme }) => {
    const colorScheme = theme === 'dark' ? 'dark' : 'light'
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    if (name === 'mail') await page.setContent(exampleMail.html)
    else await page.goto(showcase.api.url + showcase.paths[name])
    // What the link to the form shows.
    const isForm = name === 'subscribe'
    if (isForm) await page.locator('#subscribe summary').click()
    const path = join(folder, `${name}-${width}-${theme}.png`)
    await page.screenshot({ path, fullPage: !isForm, animations: 'disabled' })
    await page.close()
    expect(statSync(path).size).toBeGreaterThan(2_000)
  })
})
