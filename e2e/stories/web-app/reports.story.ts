// A report in the browser: figures of a run, filters in the address, and a file for spreadsheets that runs no formula.
import { readFileSync } from 'node:fs'
import { createUrlMonitor } from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { AppScene } from './app-scene.ts'

describe('reports in the app', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let page: Page
  const open = (path: string) => page.goto(app.url + path)

  beforeAll(async () => {
    await app.open()
    page = (await app.signIn()).page
    for (const [name, path, tags] of [
      ['=HYPERLINK("http://evil.example","Shop")', '/shop', ['web']],
      ['Orders', '/orders', ['api']],
    ] as const) {
      const { id } = await app.scene.account.call(createUrlMonitor, {
        query: { autoAssignAlerts: false },
        body: {
          ...{ name, ...onDemandOnly, doubleCheck: false, locations: ['eu-central-1'], tags: [...tags] },
          request: { url: app.site.url(path) },
        },
      })
      await app.scene.account.run(id)
      if (path === '/orders') {
        app.site.on(path, { status: 500 })
        await app.scene.account.run(id)
      }
    }
  }, 180_000)
  afterAll(() => app.close())

  it('shows the least available check first, and filters in the address', async () => {
    await open('/reports')
    const rows = page.getByRole('row')
    await rows.nth(1).getByText('50 %').waitFor()
    expect(await rows.nth(1).textContent()).toContain('Orders')
    await page.getByRole('button', { name: 'Availability' }).click()
    await rows.nth(1).getByText('100 %').first().waitFor()
    expect(page.url()).toContain('order=desc')
    await page.getByRole('searchbox').fill('orders')
    await page.getByText('1 check,').waitFor()
    expect(await rows.count()).toBe(2)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('2 checks,').waitFor()
  })

  it('is saved for spreadsheets, without formulas', async () => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toMatch(/^report-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(head).toMatch(/^check,id,type,/)
    expect(lines).toHaveLength(2)
    expect(lines.some((line) => line.startsWith(`"'=HYPERLINK(""http://evil.example""`))).toBe(true)
  })

  it('is printed without the frame of the app', async () => {
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('table').isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen' })
  })
})
