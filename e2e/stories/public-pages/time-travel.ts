import { setTimeout as sleep } from 'node:timers/promises'
import {
  createStatusPage,
  createStatusPageIncident,
  createStatusPageIncidentUpdate,
  createStatusPageService,
  minuteMs,
} from '@vedette/contracts'
import { expect, it } from 'vitest'
import { opensWith, type Stage } from './stage.ts'

export function timeTravel(stage: Stage): void {
  it('shows the page as it was at a minute, and nothing of the future or from before the page', async () => {
    const { account } = stage.scene
    const service = await account.call(createStatusPageService, { body: { name: 'Search' } })
    const services = [{ id: service.id }]
    const cards = [{ name: 'Shop', services }]
    const createdAt = Date.now()
    await account.call(createStatusPage, { body: { name: 'Past', url: 'past', cards } })
    const { id: incidentId } = await account.call(createStatusPageIncident, {
      body: {
        ...{ name: 'Search is slow', severity: 'MAJOR', services },
        incidentUpdates: [{ description: 'We are looking into it.' }],
      },
    })
    // Times are rounded to the minute.
    const during = Math.ceil(Date.now() / minuteMs) * minuteMs
    await sleep(during + 1_000 - Date.now())
    await account.call(createStatusPageIncidentUpdate, {
      params: { incidentId },
      body: { status: 'RESOLVED', description: 'A new index is there.' },
    })
    const page = await stage.browser.newPage({ locale: 'en' })
    const shown = () => page.locator('body').innerText()
    const visit = (at: number) => page.goto(`${account.baseUrl}/s/past?at=${new Date(at).toISOString()}`)
    await opensWith(page, `${account.baseUrl}/s/past`, 'All systems operational')
    expect(await shown()).toContain('A new index is there.')

    expect((await visit(during))?.headers()['cache-control']).toContain('no-store')
    expect(await shown()).toContain('This is the page as it was on')
    expect(await shown()).toContain('Partial outage: Search')
    expect(await shown()).toContain('We are looking into it.')
    expect(await shown()).not.toContain('A new index is there.')
    expect(await page.locator('meta[name=robots]').getAttribute('content')).toContain('noindex')
    await page.getByRole('link', { name: 'Search is slow' }).click()
    await page.getByRole('heading', { name: 'Search is slow' }).waitFor()
    expect(await shown()).not.toContain('A new index is there.')

    await page.getByRole('link', { name: 'Show it as it is now' }).click()
    await page.getByText('All systems operational').waitFor()

    expect((await visit(createdAt - 2 * minuteMs))?.status()).toBe(400)
    expect(await shown()).toContain('the page is public since then')
    expect((await visit(Date.now() + 2 * minuteMs))?.status()).toBe(400)
    await page.close()
  })
}
