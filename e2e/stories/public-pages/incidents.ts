import {
  createStatusPage,
  createStatusPageIncidentUpdate,
  createStatusPageService,
  createUrlMonitor,
  listStatusPageIncidents,
} from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import { linkIn, opensWith, type Stage } from './stage.ts'

export function incidents(stage: Stage): void {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())

  it('opened by a failing check appears, is updated, reaches a subscriber, resolves and counts', async () => {
    const { scene, mail, browser } = stage
    const { account } = scene
    const service = await account.call(createStatusPageService, { body: { name: 'Till' } })
    const cards = [{ name: 'Shop', services: [{ id: service.id }] }]
    await account.call(createStatusPage, { body: { name: 'Acme', url: 'acme', cards } })
    const url = `${account.baseUrl}/s/acme`
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    await page.goto(url)
    expect(await page.getByRole('status').innerText()).toBe('All systems operational')
    expect(await page.locator('main').innerText()).toContain('100 % uptime')

    const reader = 'reader@customer.test'
    await page.getByRole('textbox').fill(reader)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor()
    const [question] = await until('the question', () => mail.to(reader).length > 0 && mail.to(reader))
    await page.goto(linkIn(question?.html ?? '', '/verify/'))
    expect(await page.locator('main').innerText()).toContain(reader)

    site.on('/till', { status: 500 })
    const check = await account.call(createUrlMonitor, {
      body: {
        ...{ name: 'Till', locations: ['eu-central-1'], doubleCheck: false, ...onDemandOnly },
        request: { url: site.url('/till') },
        triggerIncident: {
          ...{ serviceId: service.id, severity: 'CRITICAL', name: 'The till is closed' },
          ...{ description: 'Nobody can pay.', notifySubscribers: true },
        },
      },
    })
    await account.session(check.id)
    await opensWith(page, url, 'The till is closed')
    expect(await page.getByRole('status').innerText()).toBe('Major outage: Till')
    await until('the bad news', () => mail.to(reader).length === 2)

    const { entries } = await account.call(listStatusPageIncidents, { query: { limit: 100 } })
    const incident = entries.find(({ name }) => name === 'The till is closed')
    await account.call(createStatusPageIncidentUpdate, {
      params: { incidentId: incident?.id ?? '' },
      body: { status: 'IDENTIFIED', description: 'The cable was cut.', notifySubscribers: true },
    })
    await opensWith(page, url, 'The cable was cut.')
    await page.getByRole('link', { name: 'The till is closed' }).click()
    const updates = await page.locator('main article').allInnerTexts()
    expect(updates.map((text) => text.split('\n')[0])).toEqual(['Identified', 'Investigating'])

    site.on('/till', { status: 200 })
    await account.session(check.id)
    await opensWith(page, url, 'All systems operational')
    expect(await page.locator('.bars .f').count()).toBe(1)
    expect(await page.locator('main').innerText()).not.toContain('100 % uptime')
    await until('the good news', () => mail.to(reader).length === 4)
    expect(mail.to(reader).map(({ subject }) => subject.replace(/:.*/, ''))).toEqual([
      expect.any(String),
      '[Acme] Investigating',
      '[Acme] Identified',
      '[Acme] Resolved',
    ])
    await context.close()
  })
}
