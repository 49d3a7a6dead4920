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
  const response = await owner.post(path, body)
  expect(response.status, response.text).toBeLessThan(300)
  return response.body
}

/** A service on a page with one verified and one pending subscriber, and a check that triggers its incidents. */
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
  const triggering = { accountId: owner.accountId, checkId: check.id as string, trigger }
  return {
    service,
    page,
    triggering,
    checkId: triggering.checkId,
    open: (now = start) => run((client) => openTriggeredIncidents(client, [triggering], now)),
    resolve: (now = start + minute) => run((client) => resolveTriggeredIncidents(client, [triggering], now)),
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
  it('opens an incident on the pages that show its service, and notifies their subscribers', async () => {
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

  it('opens no second incident while the first is open', async () => {
    const { open, triggering, incidents, mails } = await scene()
    await open()
    await open(start + minute)
    await run((client) => openTriggeredIncidents(client, [triggering, triggering], start + minute))
    expect(await incidents()).toHaveLength(1)
    expect(await mails()).toHaveLength(1)
  })

  it('opens one even if it is named twice in a batch', async () => {
    const { triggering, incidents } = await scene()
    await run((client) => openTriggeredIncidents(client, [triggering, triggering], start))
    expect(await incidents()).toHaveLength(1)
  })

  it('opens a new incident when a user has resolved the last', async () => {
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

  it('notifies no subscribers unless the trigger is set to', async () => {
    const { open, resolve, incidents, mails } = await scene({ notifySubscribers: false })
    await open()
    await resolve()
    expect(await incidents()).toMatchObject([{ lastUpdateStatus: 'RESOLVED' }])
    expect(await mails()).toEqual([])
  })

  it('gives the incident a name and a description that the API accepts', async () => {
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

describe('maintenance that suppresses incidents', () => {
  const window = {
    name: 'Upgrade',
    startsAt: '2026-11-14T07:30:00Z',
    endsAt: '2026-11-14T08:30:00Z',
    repeatInterval: 1,
    repeatUnit: 'DAY',
  }
  const suppressing = (scope: object) =>
    post(api.alice, '/v1/maintenance-windows', {
      ...window,
      statusPageVisibility: { enabled: true, suppressAutoIncidents: true, ...scope },
    })

  it.each([
    ['its services', (service: string) => ({ serviceIds: [service] })],
    ['all services of its pages', () => ({ affectAllServices: true })],
  ])('opens none for %s while it runs, and opens them before and after', async (_, scope) => {
    const [inside, outside] = [await scene(), await scene()]
    await suppressing({ statusPageIds: [inside.page.id], ...scope(inside.service.id) })
    const triggering = [inside.triggering, outside.triggering]
    await run((client) => openTriggeredIncidents(client, triggering, start))
    expect(await inside.incidents()).toEqual([])
    expect(await inside.mails()).toEqual([])
    expect(await isTriggered(inside.checkId)).toBe(false)
    expect(await outside.incidents()).toHaveLength(1)
    await inside.open(start + 30 * minute)
    expect(await inside.incidents()).toHaveLength(1)
  })

  it.each([
    ['it is not published', { enabled: false }],
    ['it does not suppress', { suppressAutoIncidents: false }],
    ['it is for other services', { serviceIds: [] as string[] }],
  ])('opens them if %s', async (_, change) => {
    const { page, service, open, incidents } = await scene()
    const other = await post(api.alice, '/v1/status-pages/services', { name: 'Other' })
    const serviceIds = 'serviceIds' in change ? [other.id] : [service.id]
    await suppressing({ statusPageIds: [page.id], ...change, serviceIds })
    await open()
    expect(await incidents()).toHaveLength(1)
  })
})

describe('concurrent changes never fail the batch', () => {
  it('a service that was deleted opens nothing, and the rest of the batch is opened', async () => {
    const [gone, kept] = [await scene(), await scene()]
    // By SQL, because the API refuses while the service is in use.
    await api.store.pool.query('delete from status_page_services where id = $1', [gone.service.id])
    const broken = { ...kept.triggering, checkId: randomUUID() }
    const foreign = { ...gone.triggering, trigger: { ...gone.triggering.trigger, serviceId: 'no id at all' } }
    await run((client) =>
      openTriggeredIncidents(client, [gone.triggering, broken, foreign, kept.triggering], start),
    )
    expect(await isTriggered(gone.checkId)).toBe(false)
    expect(await kept.incidents()).toHaveLength(1)
  })

  it('a service of another account opens nothing', async () => {
    const [own, other] = [await scene(), await scene({}, api.bob)]
    const triggering = {
      ...own.triggering,
      trigger: { ...own.triggering.trigger, serviceId: other.service.id },
    }
    await run((client) => openTriggeredIncidents(client, [triggering], start))
    expect(await other.incidents()).toEqual([])
    expect(await isTriggered(own.checkId)).toBe(false)
  })

  it('a subscriber that unsubscribes while the emails are written is left out', async () => {
    const { page, triggering, mails, incidents } = await scene()
    const reader = await api.store.pool.connect()
    try {
      await reader.query('begin')
      await reader.query('delete from status_page_subscriptions where status_page_id = $1', [page.id])
      const opening = run((client) => openTriggeredIncidents(client, [triggering], start))
      await expect.poll(waitingForLocks).toBeGreaterThan(0)
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
  it('resolves its incident, and notifies the same subscribers', async () => {
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

  it('adds no second RESOLVED to an incident that a user resolved', async () => {
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

  it('ignores an incident that a user deleted', async () => {
    const { open, resolve, incidents } = await scene()
    await open()
    const [{ id }] = await incidents()
    expect((await api.alice.delete(`/v1/status-pages/incidents/${id}`)).status).toBe(204)
    await resolve()
    expect(await incidents()).toEqual([])
  })

  it('waits for a user who is about to resolve it, and then adds no update', async () => {
    const { open, triggering, incidents } = await scene()
    await open()
    const [{ id }] = await incidents()
    const user = await api.store.pool.connect()
    try {
      await user.query('begin')
      await user.query('select from incidents where id = $1 for update', [id])
      const resolving = run((client) => resolveTriggeredIncidents(client, [triggering], start + minute))
      await expect.poll(waitingForLocks).toBeGreaterThan(0)
      await user.query(
        `insert into incident_updates
           (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers)
         values ($1, $2, $3, 'RESOLVED', 'Done by hand', now(), false)`,
        [randomUUID(), triggering.accountId, id],
      )
      await user.query('commit')
      await resolving
    } finally {
      user.release()
    }
    expect((await incidents())[0].incidentUpdates).toHaveLength(2)
  })

  it('adds the latest update, whatever the date of an earlier one', async () => {
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
  ])('notifies no subscribers when the trigger is %s by then', async (_name, change) => {
    const { open, resolve, incidents, mails, triggering } = await scene()
    await open()
    const triggerIncident = change === null ? null : { ...triggering.trigger, ...change }
    const changed = await api.alice.put(`/v1/checks/url/${triggering.checkId}`, { triggerIncident })
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
