import { randomUUID } from 'node:crypto'
import { hourMs, minuteMs } from '@vedette/contracts'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../storage/core/transaction.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import { deliverMails } from './mails.ts'
import { writeMaintenanceNotices } from './maintenance-notices.ts'

const start = Date.parse('2026-11-20T08:00:00Z')
const end = start + hourMs

let api: TestApi
let now: number
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())
beforeEach(async () => {
  now = start - 3 * 24 * hourMs
  await api.store.pool.query('delete from maintenance_windows')
  await api.store.pool.query('delete from mails')
})

async function create(path: string, body: unknown) {
  const response = await api.alice.post(path, body)
  expect(response.status, response.text).toBeLessThan(300)
  return response.body
}

const service = (name: string) => create('/v1/status-pages/services', { name })

/** A page with a verified and a pending subscriber. */
async function pageWith(services: { id: string }[], values: object = {}) {
  const url = `p-${randomUUID().slice(0, 13)}`
  const cards = [{ name: 'All', services: services.map(({ id }) => ({ id })) }]
  const page = await create('/v1/status-pages', { name: 'Shop', url, cards, ...values })
  const addresses = [`ada@${url}.test`, `pending@${url}.test`]
  await create(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: addresses.map((config) => ({ type: 'EMAIL', config })),
  })
  await api.store.pool.query(
    `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1 and address like 'ada%'`,
    [page.id],
  )
  await api.store.pool.query('delete from mails')
  return { ...page, reader: addresses[0] } as { id: string; url: string; reader: string }
}

const publish = (pages: { id: string }[], services: { id: string }[], visibility: object = {}) =>
  create('/v1/maintenance-windows', {
    ...{ name: 'Release', description: 'A new version.' },
    ...{ startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() },
    statusPageVisibility: {
      ...{ enabled: true, notifyOnStart: true, notifyOnEnd: true, reminderMinutesBefore: [60] },
      ...{ statusPageIds: pages.map(({ id }) => id), serviceIds: services.map(({ id }) => id) },
      ...visibility,
    },
  })

const write = () => inTransaction(api.store.pool, (client) => writeMaintenanceNotices(client, now, 100))

async function outbox(): Promise<string[]> {
  const { rows } = await api.store.pool.query(
    `select facts->>'notice' as notice, recipient from mails order by created_at, recipient`,
  )
  return rows.map(({ notice, recipient }) => `${notice} ${recipient}`)
}

async function delivered(): Promise<Mail[]> {
  const sent: Mail[] = []
  await deliverMails(api.store.pool, {
    send: async (mail) => `${sent.push(mail)}`,
    now: () => now,
    publicUrl: 'http://vedette.test',
    sign: api.vault.sign,
    log: pino({ level: 'silent' }),
  })
  return sent
}

describe('notices about maintenance', () => {
  it('reach verified subscribers in advance, at the start and at the end', async () => {
    const shop = await service('Checkout')
    const page = await pageWith([shop])
    const window = await publish([page], [shop], { severity: 'MAJOR' })
    const subjects = []
    for (now of [start - 61 * minuteMs, start - hourMs, start, end, end + hourMs]) {
      await write()
      subjects.push((await delivered()).map(({ to, subject }) => `${to} ${subject}`))
    }
    expect(subjects).toEqual([
      [],
      [`${page.reader} [Shop] Planned maintenance: Release`],
      [`${page.reader} [Shop] Maintenance started: Release`],
      [`${page.reader} [Shop] Maintenance completed: Release`],
      [],
    ])
    await api.store.pool.query('update mails set due_at = created_at')
    now = start
    const [mail] = await delivered()
    for (const text of [
      'A new version.',
      '2026-11-20 08:00 UTC',
      '2026-11-20 09:00 UTC',
      'Checkout',
      'Major',
      `http://vedette.test/s/${page.url}/maintenance/${window.id}-20261120T080000Z`,
    ]) {
      expect(mail?.text).toContain(text)
      expect(mail?.html).toContain(text)
    }
    expect(mail?.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
    const unsubscribe = mail?.headers?.['List-Unsubscribe']?.replace(/^<http:\/\/vedette\.test|>$/g, '') ?? ''
    expect((await api.nobody.send('POST', unsubscribe)).status).toBe(200)
    expect((await api.alice.get(`/v1/status-pages/${page.id}/subscriptions`)).body).toHaveLength(1)
  })

  it('are about services that the page shows, and go to no other page', async () => {
    const [one, two, three] = [await service('One'), await service('Two'), await service('Three')]
    const pages = [await pageWith([one, two]), await pageWith([two]), await pageWith([three])]
    const unlisted = await pageWith([one])
    await publish(pages, [one, two])
    now = start
    await write()
    const { rows } = await api.store.pool.query(`select recipient, facts->'services' as services from mails`)
    expect(rows.toSorted((a, b) => b.services.length - a.services.length)).toEqual([
      { recipient: pages[0]?.reader, services: ['One', 'Two'] },
      { recipient: pages[1]?.reader, services: ['Two'] },
    ])
    expect(await outbox()).not.toContain(`start ${unlisted.reader}`)
  })

  it('name no services that the owner hides', async () => {
    const shop = await service('Checkout')
    await publish([await pageWith([shop])], [], { affectAllServices: true, showAffectedServices: false })
    now = start
    await write()
    const [mail] = await delivered()
    expect(mail?.subject).toContain('Maintenance started')
    expect(`${mail?.text}${mail?.html}`).not.toContain('Checkout')
  })

  it('are written once by many servers at the same time', async () => {
    const shop = await service('Checkout')
    const pages = [await pageWith([shop]), await pageWith([shop])]
    for (let count = 0; count < 5; count += 1) await publish(pages, [shop])
    now = start
    await Promise.all(Array.from({ length: 8 }, write))
    await Promise.all(Array.from({ length: 8 }, write))
    expect(await outbox()).toHaveLength(10)
    const sent = (await Promise.all([delivered(), delivered()])).flat()
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(10)
    expect(sent).toHaveLength(10)
  })

  it('are written once though a server is killed before it commits', async () => {
    const shop = await service('Checkout')
    const page = await pageWith([shop])
    await publish([page], [shop])
    now = start
    const killed = inTransaction(api.store.pool, async (client) => {
      await writeMaintenanceNotices(client, now, 100)
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await outbox()).toEqual([])
    await write()
    await api.store.pool.query('update maintenance_windows set notices_due_at = created_at')
    await write()
    expect(await outbox()).toEqual([`start ${page.reader}`])
  })

  it('are not written for the start when the servers were down until after the end', async () => {
    const shop = await service('Checkout')
    const page = await pageWith([shop])
    await publish([page], [shop])
    now = start - hourMs
    await write()
    now = end + hourMs
    await write()
    expect(await outbox()).toEqual([`before ${page.reader}`, `end ${page.reader}`])
  })

  it('follow the window when it moves, ends early, or is no longer published', async () => {
    const shop = await service('Checkout')
    const page = await pageWith([shop])
    const { id, statusPageVisibility } = await publish([page], [shop])
    const change = (body: object) => api.alice.put(`/v1/maintenance-windows/${id}`, body)
    now = start
    await write()
    now = start + 20 * minuteMs
    await change({ endsAt: new Date(start + 15 * minuteMs).toISOString() })
    await write()
    expect(await outbox()).toEqual([`start ${page.reader}`, `end ${page.reader}`])
    const [later, over] = [start + 5 * hourMs, start + 6 * hourMs]
    await change({ startsAt: new Date(later).toISOString(), endsAt: new Date(over).toISOString() })
    now = later - hourMs
    await write()
    expect((await outbox()).at(-1)).toBe(`before ${page.reader}`)
    await change({ statusPageVisibility: { ...statusPageVisibility, enabled: false } })
    now = later
    await write()
    expect(await outbox()).toHaveLength(3)
  })

  it('reach subscribers that the owner of a private page added', async () => {
    const shop = await service('Checkout')
    const page = await pageWith([shop], { isPrivate: true })
    await publish([page], [shop])
    now = start
    await write()
    expect(await outbox()).toEqual([`start ${page.reader}`])
  })

  it('leave out a subscriber that unsubscribes meanwhile, and pages that were deleted', async () => {
    const shop = await service('Checkout')
    const [left, deleted] = [await pageWith([shop]), await pageWith([shop])]
    await publish([left, deleted], [shop])
    await api.store.pool.query('delete from status_page_subscriptions where address = $1', [left.reader])
    expect((await api.alice.delete(`/v1/status-pages/${deleted.id}`)).status).toBe(204)
    now = start
    expect(await write()).toBe(1)
    expect(await outbox()).toEqual([])
  })
})
