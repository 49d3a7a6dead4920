import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, inTransaction } from '../../storage/core/transaction.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { openTriggeredIncidents, resolveTriggeredIncidents } from './incidents.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const start = Date.parse('2026-11-15T08:00:00.000Z')
const minute = 60_000

const run = <T>(work: (client: Client) => Promise<T>) => inTransaction(api.store.pool, work)

async function post(owner: Caller, path: string, body: unknown) {
  const answer = await owner.post(path, body)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** A service on a page with one verified and one pending reader, and a check that triggers incidents of it. */
async function scene(settings: Record<string, unknown> = {}, owner = api.alice) {
  const service = await post(owner, '/v1/status-pages/services', { name: 'Shop' })
  const page = await post(owner, '/v1/status-pages', {
    name: 'Public',
    url: `p-${randomUUID().slice(0, 13)}`,
    cards: [{ name: 'All', services: [{ id: service.id }] }],
  })
  await post(owner, `/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: ['ada@example.com', 'pending@example.com'].map((config) => ({ type: 'EMAIL', config })),
  })
  await api.store.pool.query(
    `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1 and address like 'ada%'`,
    [page.id],
  )
  const trigger = {
    serviceId: service.id as string,
    severity: 'CRITICAL',
    name: 'The shop is down',
    description: 'Orders fail.',
    notifySubscribers: true,
    ...settings,
  }
  const check = await post(owner, '/v1/checks/url', {
    locations: ['eu-west-1'],
    name: 'shop',
    request: { url: 'https://example.com' },
    triggerIncident: trigger,
  })
  const asked = { accountId: owner.accountId, checkId: check.id as string, trigger }
  return {
    service,
    page,
    asked,
    checkId: asked.checkId,
    open: (now = start) => run((client) => openTriggeredIncidents(client, [asked], now)),
    resolve: (now = start + minute) => run((client) => resolveTriggeredIncidents(client, [asked], now)),
    incidents: async () => (await owner.get(`/v1/status-pages/${page.id}`)).body.incidents,
    mails: async () => {
      const { rows } = await api.store.pool.query(
        `select m.recipient, m.facts->>'status' as status from mails m
         join status_page_subscriptions s on s.id = m.subscription_id
         where s.status_page_id = $1 and m.kind = 'incident_update' order by m.created_at`,
        [page.id],
      )
      return rows.map(({ recipient, status }) => `${status} ${recipient}`)
    },
  }
}

async function isTriggered(checkId: string): Promise<boolean> {
  const { rows } = await api.store.pool.query('select from triggered_incidents where check_id = $1', [
    checkId,
  ])
  return rows.length > 0
}

describe('a failing check', () => {
  it('opens an incident on the pages that show its service, and tells their readers', async () => {
    const { open, incidents, mails, checkId } = await scene()
    await open()
    expect(await incidents()).toMatchObject([
      {
        name: 'The shop is down',
        severity: 'CRITICAL',
        lastUpdateStatus: 'INVESTIGATING',
        duration: null,
        created_at: '2026-11-15T08:00:00.000Z',
        services: [{ name: 'Shop' }],
        incidentUpdates: [
          {
            status: 'INVESTIGATING',
            description: 'Orders fail.',
            publicIncidentUpdateDate: '2026-11-15T08:00:00.000Z',
            notifySubscribers: true,
          },
        ],
      },
    ])
    expect(await mails()).toEqual(['INVESTIGATING ada@example.com'])
    expect(await isTriggered(checkId)).toBe(true)
  })

  it('opens no second one while the first is open', async () => {
    const { open, asked, incidents, mails } = await scene()
    await open()
    await open(start + minute)
    await run((client) => openTriggeredIncidents(client, [asked, asked], start + minute))
    expect(await incidents()).toHaveLength(1)
    expect(await mails()).toHaveLength(1)
  })

  it('opens one even if it is named twice in a batch', async () => {
    const { asked, incidents } = await scene()
    await run((client) => openTriggeredIncidents(client, [asked, asked], start))
    expect(await incidents()).toHaveLength(1)
  })

  it('opens a new one when a human has resolved the last', async () => {
    const { open, incidents, resolve } = await scene()
    await open()
    const [{ id }] = await incidents()
    const updates = `/v1/status-pages/incidents/${id}/incident-updates`
    await post(api.alice, updates, { status: 'RESOLVED', description: 'Done' })
    await open(Date.now() + minute)
    const all = await incidents()
    expect(all.map((incident: { lastUpdateStatus: string }) => incident.lastUpdateStatus)).toEqual([
      'INVESTIGATING',
      'RESOLVED',
    ])
    await resolve(Date.now() + 2 * minute)
    expect((await incidents())[0]).toMatchObject({ lastUpdateStatus: 'RESOLVED' })
  })

  it('tells nobody unless the trigger says so', async () => {
    const { open, resolve, incidents, mails } = await scene({ notifySubscribers: false })
    await open()
    await resolve()
    expect(await incidents()).toMatchObject([{ lastUpdateStatus: 'RESOLVED' }])
    expect(await mails()).toEqual([])
  })

  it('gives the incident a name and words that the API would take', async () => {
    const { open, incidents } = await scene({ name: '💥'.repeat(200), description: '' })
    await open()
    const [incident] = await incidents()
    expect(incident.name.length).toBeLessThanOrEqual(255)
    expect(incident.name.isWellFormed()).toBe(true)
    const path = `/v1/status-pages/incidents/${incident.id}`
    expect((await api.alice.put(path, incident)).status).toBe(200)
    const [update] = incident.incidentUpdates
    expect((await api.alice.put(`${path}/incident-updates/${update.id}`, update)).status).toBe(200)
  })
})

describe('what others did meanwhile never fails the batch', () => {
  it('a service that was deleted opens nothing, and the rest of the batch is opened', async () => {
    const [gone, kept] = [await scene(), await scene()]
    // As an operator could: the API refuses while the service is in use.
    await api.store.pool.query('delete from status_page_services where id = $1', [gone.service.id])
    const broken = { ...kept.asked, checkId: randomUUID() }
    const foreign = { ...gone.asked, trigger: { ...gone.asked.trigger, serviceId: 'no id at all' } }
    await run((client) => openTriggeredIncidents(client, [gone.asked, broken, foreign, kept.asked], start))
    expect(await isTriggered(gone.checkId)).toBe(false)
    expect(await kept.incidents()).toHaveLength(1)
  })

  it('a service of another account opens nothing', async () => {
    const [own, other] = [await scene(), await scene({}, api.bob)]
    const asked = { ...own.asked, trigger: { ...own.asked.trigger, serviceId: other.service.id } }
    await run((client) => openTriggeredIncidents(client, [asked], start))
    expect(await other.incidents()).toEqual([])
    expect(await isTriggered(own.checkId)).toBe(false)
  })

  it('a reader who leaves while the mails are written is left out', async () => {
    const { page, asked, mails, incidents } = await scene()
    const reader = await api.store.pool.connect()
    try {
      await reader.query('begin')
      await reader.query('delete from status_page_subscriptions where status_page_id = $1', [page.id])
      const opening = run((client) => openTriggeredIncidents(client, [asked], start))
      await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0)
      await reader.query('commit')
      await opening
    } finally {
      reader.release()
    }
    expect(await incidents()).toHaveLength(1)
    expect(await mails()).toEqual([])
  })
})

describe('a recovered check', () => {
  it('resolves its incident, and tells who was told of the beginning', async () => {
    const { open, resolve, incidents, mails, checkId } = await scene()
    await open()
    await resolve()
    expect(await incidents()).toMatchObject([
      {
        lastUpdateStatus: 'RESOLVED',
        duration: minute,
        updated_at: '2026-11-15T08:01:00.000Z',
        incidentUpdates: [
          { status: 'RESOLVED', description: 'The service has recovered.', notifySubscribers: true },
          { status: 'INVESTIGATING' },
        ],
      },
    ])
    expect(await mails()).toEqual(['INVESTIGATING ada@example.com', 'RESOLVED ada@example.com'])
    expect(await isTriggered(checkId)).toBe(false)
  })

  it('resolves once, and a check without an incident resolves nothing', async () => {
    const { open, resolve, incidents } = await scene()
    await resolve()
    await open()
    await resolve()
    await resolve(start + 2 * minute)
    expect((await incidents())[0].incidentUpdates).toHaveLength(2)
  })

  it('adds no second RESOLVED to what a human resolved', async () => {
    const { open, resolve, incidents, mails, checkId } = await scene()
    await open()
    const [{ id }] = await incidents()
    const updates = `/v1/status-pages/incidents/${id}/incident-updates`
    await post(api.alice, updates, { status: 'RESOLVED', description: 'Done' })
    await resolve(Date.now() + minute)
    expect((await incidents())[0].incidentUpdates).toMatchObject([
      { description: 'Done' },
      { status: 'INVESTIGATING' },
    ])
    expect(await mails()).toHaveLength(1)
    expect(await isTriggered(checkId)).toBe(false)
  })

  it('leaves alone what a human deleted', async () => {
    const { open, resolve, incidents } = await scene()
    await open()
    const [{ id }] = await incidents()
    expect((await api.alice.delete(`/v1/status-pages/incidents/${id}`)).status).toBe(204)
    await resolve()
    expect(await incidents()).toEqual([])
  })

  it('waits for a human who is about to resolve it, and then says nothing', async () => {
    const { open, asked, incidents } = await scene()
    await open()
    const [{ id }] = await incidents()
    const human = await api.store.pool.connect()
    try {
      await human.query('begin')
      await human.query('select from incidents where id = $1 for update', [id])
      const resolving = run((client) => resolveTriggeredIncidents(client, [asked], start + minute))
      await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0)
      await human.query(
        `insert into incident_updates
           (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers)
         values ($1, $2, $3, 'RESOLVED', 'Done by hand', now(), false)`,
        [randomUUID(), asked.accountId, id],
      )
      await human.query('commit')
      await resolving
    } finally {
      human.release()
    }
    expect((await incidents())[0].incidentUpdates).toHaveLength(2)
  })

  it('becomes the latest update, whatever date a human gave to one before', async () => {
    const { open, resolve, incidents } = await scene()
    await open()
    const [{ id }] = await incidents()
    await post(api.alice, `/v1/status-pages/incidents/${id}/incident-updates`, {
      status: 'MONITORING',
      description: 'From tomorrow on',
      publicIncidentUpdateDate: '2099-01-01T00:00:00.000Z',
    })
    await resolve()
    expect(await incidents()).toMatchObject([{ lastUpdateStatus: 'RESOLVED' }])
  })

  it.each([
    ['gone', null],
    ['silent', { notifySubscribers: false }],
  ])('tells nobody when the trigger is %s by then', async (_name, change) => {
    const { open, resolve, incidents, mails, asked } = await scene()
    await open()
    const triggerIncident = change === null ? null : { ...asked.trigger, ...change }
    const changed = await api.alice.put(`/v1/checks/url/${asked.checkId}`, { triggerIncident })
    expect(changed.status).toBe(200)
    await resolve()
    expect(await incidents()).toMatchObject([{ lastUpdateStatus: 'RESOLVED' }])
    expect(await mails()).toEqual(['INVESTIGATING ada@example.com'])
  })
})

async function waitingForLocks(): Promise<number> {
  const { rows } = await api.store.pool.query<{ count: number }>(
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}
