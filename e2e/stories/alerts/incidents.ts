import {
  createStatusPage,
  createStatusPageService,
  createStatusPageSubscriptions,
  listStatusPageIncidents,
  listStatusPageSubscriptions,
} from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'
import { openWatchedShop } from './watched-shop.ts'

export function incidents(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)
  const slug = 'shop-status'
  const incidentName = 'The till is closed'
  const reader = 'reader@customer.test'
  const silent = 'silent@customer.test'

  const subjects = (address: string) => receivers.mail.to(address).map(({ subject }) => subject)

  it('opens an incident on the status page, notifies its subscribers, and resolves it with the recovery', async () => {
    const { account } = scene
    const service = await account.call(createStatusPageService, { body: { name: 'Till' } })
    const cards = [{ name: 'Shop', services: [{ id: service.id }] }]
    const page = await account.call(createStatusPage, { body: { name: 'Shop status', url: slug, cards } })
    const params = { statusPageId: page.id }
    const statuses = async () =>
      Object.fromEntries(
        (await account.call(listStatusPageSubscriptions, { params })).map(({ address, status }) => [
          address,
          status,
        ]),
      )
    const incidentsOfShop = async () => {
      const { entries } = await account.call(listStatusPageIncidents, { query: { limit: 100 } })
      return entries.filter(({ name }) => name === incidentName)
    }

    await account.call(createStatusPageSubscriptions, {
      params,
      body: { subscriptions: [reader, silent].map((config) => ({ type: 'EMAIL' as const, config })) },
    })
    await until('the questions', () => subjects(reader).length === 1 && subjects(silent).length === 1)
    expect(await statuses()).toEqual({ [reader]: 'PENDING', [silent]: 'PENDING' })
    const [question] = receivers.mail.to(reader)
    expect((await fetch(linkIn(question?.text, '/verify/'))).status).toBe(200)
    expect(await statuses()).toEqual({ [reader]: 'VERIFIED', [silent]: 'PENDING' })

    const triggerIncident = {
      serviceId: service.id,
      severity: 'CRITICAL',
      name: incidentName,
      description: 'Nobody can pay.',
      notifySubscribers: true,
    }
    const checkId = await shop.check('/till', [], { triggerIncident })
    shop.breaks('/till')
    for (let run = 0; run < 2; run++) await account.session(checkId)
    expect(await incidentsOfShop()).toMatchObject([
      { severity: 'CRITICAL', lastUpdateStatus: 'INVESTIGATING', services: [{ id: service.id }] },
    ])
    const shown = await (await fetch(`${account.baseUrl}/s/${slug}`)).text()
    expect(shown).toContain(incidentName)
    await until('the bad news', () => subjects(reader).length === 2)

    shop.fix('/till')
    await account.session(checkId)
    expect(await incidentsOfShop()).toMatchObject([{ lastUpdateStatus: 'RESOLVED' }])
    await until('the good news', () => subjects(reader).length === 3)
    expect(subjects(reader).slice(1)).toEqual([
      `[Shop status] Investigating: ${incidentName}`,
      `[Shop status] Resolved: ${incidentName}`,
    ])
    expect(receivers.mail.to(reader)[1]?.text).toContain('Nobody can pay.')

    const last = receivers.mail.to(reader)[2]
    const oneClick = /^<(.+)>$/.exec(last?.headers['list-unsubscribe'] ?? '')?.[1] as string
    expect(oneClick).toBe(linkIn(last?.text, '/unsubscribe/'))
    const response = await fetch(oneClick, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect(response.status).toBe(200)
    expect(await statuses()).toEqual({ [silent]: 'PENDING' })
    shop.breaks('/till')
    await account.session(checkId)
    expect((await incidentsOfShop()).map(({ lastUpdateStatus }) => lastUpdateStatus)).toEqual([
      'INVESTIGATING',
      'RESOLVED',
    ])
    // A new subscriber is notified; by then, the others would have been too.
    expect(subjects(silent)).toHaveLength(1)
    expect((await fetch(linkIn(receivers.mail.to(silent)[0]?.text, '/verify/'))).status).toBe(200)
    shop.fix('/till')
    await account.session(checkId)
    await until('the news of another', () => subjects(silent).length === 2)
    expect(subjects(silent)[1]).toContain('Resolved')
    expect(subjects(reader)).toHaveLength(3)
  })
}

function linkIn(text: string | undefined, part: string): string {
  const links = (text ?? '').match(/https?:\/\/[^\s<>()]+/g) ?? []
  const link = links.find((one) => one.includes(part))
  if (link === undefined) throw new Error(`no link with ${part} in:\n${text}`)
  return link
}
