import {
  createMaintenanceWindow,
  createStatusPage,
  createStatusPageService,
  createStatusPageSubscriptions,
} from '@vedette/contracts'
import { expect, it } from 'vitest'
import { until } from '../../until.ts'
import { linkIn, opensWith, type Stage } from './stage.ts'

export function maintenance(stage: Stage): void {
  it('announces itself on the page, in the calendar and by mail', async () => {
    const { account } = stage.scene
    const { mail } = stage
    const service = await account.call(createStatusPageService, { body: { name: 'Warehouse' } })
    const cards = [{ name: 'Logistics', services: [{ id: service.id }] }]
    const made = await account.call(createStatusPage, { body: { name: 'Depot', url: 'depot', cards } })
    const reader = 'reader@depot.test'
    await account.call(createStatusPageSubscriptions, {
      params: { statusPageId: made.id },
      body: { subscriptions: [{ type: 'EMAIL', config: reader }] },
    })
    const [question] = await until('the question', () => mail.to(reader).length > 0 && mail.to(reader))
    expect((await fetch(linkIn(question?.html ?? '', '/verify/'))).status).toBe(200)

    const startsAt = new Date(Date.now() + 15_000)
    const endsAt = new Date(startsAt.getTime() + 30_000)
    await account.call(createMaintenanceWindow, {
      body: {
        ...{ name: 'Shelves are moved', tags: [], repeatUnit: 'DAY' },
        ...{ startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() },
        statusPageVisibility: {
          ...{ enabled: true, statusPageIds: [made.id], serviceIds: [service.id] },
          ...{ notifyOnStart: true, notifyOnEnd: true },
        },
      },
    })
    const url = `${account.baseUrl}/s/depot`
    const page = await stage.browser.newPage({ locale: 'en' })
    await opensWith(page, url, 'Shelves are moved')
    expect(await page.getByRole('status').innerText()).toBe('All systems operational')
    const calendar = await (await fetch(`${url}/maintenance.ics`)).text()
    expect(calendar).toContain('SUMMARY:Shelves are moved')
    await until(
      'the start',
      async () => {
        await page.goto(url)
        return (await page.locator('main').innerText()).includes('Under maintenance')
      },
      40_000,
    )
    await until('the mail about the start', () => mail.to(reader).length === 2)
    await until(
      'the end',
      async () => {
        await page.goto(url)
        return (await page.getByRole('status').innerText()) === 'All systems operational'
      },
      60_000,
    )
    await until('the mail about the end', () => mail.to(reader).length === 3)
    expect(
      mail
        .to(reader)
        .slice(1)
        .map(({ subject }) => subject),
    ).toEqual([expect.stringContaining('Shelves are moved'), expect.stringContaining('Shelves are moved')])
    expect(await page.locator('main').innerText()).toContain('100 % uptime')
    await page.close()
  })
}
