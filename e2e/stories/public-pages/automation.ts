import {
  createStatusPage,
  createStatusPageAutomationRule,
  createStatusPageComponent,
  createUrlMonitor,
} from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { opensWith, type Stage } from './stage.ts'

export function automation(stage: Stage): void {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())

  it('opens an incident when a check with its tag fails, and resolves it with the last recovery', async () => {
    const { account } = stage.scene
    const made = await account.call(createStatusPage, { body: { name: 'Rules', url: 'rules', version: 3 } })
    const params = { statusPageId: made.id }
    const component = await account.call(createStatusPageComponent, {
      params,
      body: { type: 'SERVICE', name: 'Ordering' },
    })
    await account.call(createStatusPageAutomationRule, {
      params,
      body: {
        ...{ name: 'Orders are delayed', tags: ['ordering'], coolDownWindowMinutes: 0 },
        ...{ firstUpdate: 'We are looking into it.', lastUpdate: 'Orders arrive in time again.' },
        components: [{ componentId: component.id, targetImpact: 'PARTIAL_OUTAGE' }],
      },
    })
    const checks: string[] = []
    for (const path of ['/a', '/b']) {
      site.on(path, { status: 500 })
      const { id } = await account.call(createUrlMonitor, {
        body: {
          ...{ name: `Ordering ${path}`, tags: ['ordering'], locations: ['eu-central-1'] },
          ...{ doubleCheck: false, ...onDemandOnly },
          request: { url: site.url(path) },
        },
      })
      checks.push(id)
    }
    const [first = '', second = ''] = checks
    const url = `${account.baseUrl}/s/rules`
    const page = await stage.browser.newPage({ locale: 'en' })
    await page.goto(url)
    expect(await page.getByRole('status').innerText()).toBe('All systems operational')
    for (const id of checks) await account.session(id)
    await opensWith(page, url, 'We are looking into it.')
    expect(await page.getByRole('status').innerText()).toBe('Partial outage: Ordering')
    expect(await page.getByRole('link', { name: 'Orders are delayed' }).count()).toBe(1)
    site.on('/a', { status: 200 })
    site.on('/b', { status: 200 })
    await account.session(first)
    await account.session(second)
    await opensWith(page, url, 'Orders arrive in time again.')
    expect(await page.getByRole('status').innerText()).toBe('All systems operational')
    await page.close()
  })
}
