// Automation rules of status pages, from results to incidents.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { settleIdleRules } from '../alerting/decision/automation-rules.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults, wholeResult } from '../testing/results.ts'
import { recordResults } from './record.ts'

const minute = 60_000
let now = Date.UTC(2026, 10, 15, 8)
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

async function post(path: string, body: unknown) {
  const response = await api.alice.post(path, body)
  expect(response.status, response.text).toBeLessThan(300)
  return response.body
}

let count = 0

/** A page with two services, a rule for one tag, and a way to create checks that have it. */
async function scene(
  settings: Record<string, unknown> = {},
  impacts = ['MAJOR_OUTAGE', 'DEGRADED_PERFORMANCE'],
) {
  const tag = `tag-${++count}`
  const page = await post('/v1/status-pages', { name: 'Public', url: `rules-${count}`, version: 3 })
  const path = `/v1/status-pages/${page.id}`
  const group = await post(`${path}/components`, { type: 'GROUP', name: 'Group' })
  const components = [
    await post(`${path}/components`, { name: 'API', parentId: group.id }),
    await post(`${path}/components`, { name: 'Web', parentId: group.id }),
  ]
  const rule = await post(`${path}/automation-rules`, {
    name: 'The API is down',
    tags: ['other', tag],
    firstUpdate: 'We look.',
    lastUpdate: 'It works again.',
    components: impacts.map((targetImpact, index) => ({ componentId: components[index].id, targetImpact })),
    ...settings,
  })
  await post(`${path}/subscriptions/bulk`, {
    subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }],
  })
  await api.store.pool.query(
    `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1`,
    [page.id],
  )
  return {
    path,
    url: `/s/rules-${count}`,
    tag,
    rule,
    group,
    components,
    rulePath: `${path}/automation-rules/${rule.id}`,
    check: (values: Record<string, unknown> = { tags: [tag] }) => newCheck(values),
    incidents: async () => (await api.alice.get(path)).body.incidents as Incident[],
    mails: async () => {
      const { rows } = await api.store.pool.query(
        `select m.facts->>'status' as status from mails m join status_page_subscriptions s on s.id = m.subscription_id
         where s.status_page_id = $1 and m.kind = 'incident_update' order by m.created_at, m.id`,
        [page.id],
      )
      return rows.map(({ status }) => status)
    },
  }
}

interface Incident {
  id: string
  name: string
  severity: string
  lastUpdateStatus: string
  duration: number | null
  services: { name: string }[]
  incidentUpdates: { status: string; description: string }[]
}

async function newCheck(values: Record<string, unknown>): Promise<string> {
  const { id } = await post('/v1/checks/url?autoAssignAlerts=false', {
    name: 'Shop',
    locations: ['eu-west-1'],
    activated: true,
    request: { url: 'http://127.0.0.1/' },
    useGlobalAlertSettings: false,
    alertSettings: {},
    ...values,
  })
  return id
}

/** Moves the clock, so that results come one after the other. */
async function report(hasFailures: boolean, ...checkIds: string[]): Promise<void> {
  now += 1_000
  const failure = hasFailures ? ({ kind: 'connect', message: 'refused', phase: 'connect' } as const) : null
  const results = checkIds.map((checkId) => ({
    ...{ accountId: api.alice.accountId, checkId, checkType: 'URL' as const, scheduledAt: now },
    ...{ hasFailures, failure },
  }))
  await insertResults(api.store, results, now)
}
const fail = (...checkIds: string[]) => report(true, ...checkIds)
const recover = (...checkIds: string[]) => report(false, ...checkIds)
const settleIdle = () => inTransaction(api.store.pool, (client) => settleIdleRules(client, now))
const statuses = (incidents: Incident[]) => incidents.map(({ lastUpdateStatus }) => lastUpdateStatus)

describe('a failing check', () => {
  it('opens an incident for the components of the rule, with an impact for each', async () => {
    const { check, incidents, mails, url } = await scene()
    await fail(await check())
    expect(await incidents()).toMatchObject([
      {
        name: 'The API is down',
        severity: 'CRITICAL',
        lastUpdateStatus: 'INVESTIGATING',
        services: [{ name: 'API' }, { name: 'Web' }],
        incidentUpdates: [{ status: 'INVESTIGATING', description: 'We look.', notifySubscribers: true }],
      },
    ])
    expect(await mails()).toEqual(['INVESTIGATING'])
    const { text } = await api.nobody.get(url)
    expect(text).toContain('<h3>API</h3><span class="state failing">')
    expect(text).toContain('<h3>Web</h3><span class="state degraded">')
    expect(text).toContain('Affects: API (Major outage), Web (Degraded performance)')
  })

  it.each([
    ['MAJOR_OUTAGE', 'CRITICAL'],
    ['PARTIAL_OUTAGE', 'MAJOR'],
    ['DEGRADED_PERFORMANCE', 'MEDIUM'],
  ])('%s is severity %s', async (impact, severity) => {
    const { check, incidents } = await scene({}, [impact])
    await fail(await check())
    expect(await incidents()).toMatchObject([{ severity, services: [{ name: 'API' }] }])
  })

  it('counts by the tags of its group too, and not without a tag of the rule', async () => {
    const { tag, check, incidents } = await scene()
    await fail(await check({ tags: ['another'] }))
    expect(await incidents()).toEqual([])
    const { id: groupId } = await post('/v1/check-groups', {
      name: 'G',
      tags: [tag],
      locations: ['eu-west-1'],
    })
    await fail(await check({ tags: [], groupId }))
    expect(await incidents()).toHaveLength(1)
  })

  it('opens nothing for a disabled rule, nor while its alert is not sent', async () => {
    const disabled = await scene({ enabled: false })
    const muted = await scene()
    await fail(await disabled.check(), await muted.check({ tags: [muted.tag], muted: true }))
    expect([await disabled.incidents(), await muted.incidents()]).toEqual([[], []])
  })

  it('opens no incident for services whose maintenance suppresses it', async () => {
    const { path, components, check, incidents } = await scene()
    const window = (serviceIds: string[]) =>
      post('/v1/maintenance-windows', {
        ...{ name: 'Upgrade', tags: [], repeatUnit: 'DAY' },
        startsAt: new Date(now - 10 * minute).toISOString(),
        endsAt: new Date(now + 24 * 60 * minute).toISOString(),
        statusPageVisibility: {
          ...{ enabled: true, suppressAutoIncidents: true, serviceIds },
          statusPageIds: [path.split('/').at(-1)],
        },
      })
    await window([components[0].serviceId])
    await fail(await check())
    expect(await incidents()).toMatchObject([{ severity: 'MEDIUM', services: [{ name: 'Web' }] }])
    const calm = await scene()
    await post('/v1/maintenance-windows', {
      ...{ name: 'All of it', tags: [], repeatUnit: 'DAY' },
      startsAt: new Date(now - 10 * minute).toISOString(),
      endsAt: new Date(now + 24 * 60 * minute).toISOString(),
      statusPageVisibility: {
        ...{ enabled: true, suppressAutoIncidents: true, affectAllServices: true },
        statusPageIds: [calm.path.split('/').at(-1)],
      },
    })
    await fail(await calm.check())
    expect(await calm.incidents()).toEqual([])
  })

  it('opens an incident for all services of a group', async () => {
    const { check, group, rulePath, incidents, components } = await scene()
    const targets = [
      { componentId: group.id, targetImpact: 'PARTIAL_OUTAGE' },
      { componentId: components[1].id, targetImpact: 'MAJOR_OUTAGE' },
    ]
    expect((await api.alice.put(rulePath, { components: targets })).status).toBe(200)
    await fail(await check())
    expect(await incidents()).toMatchObject([
      { severity: 'CRITICAL', services: [{ name: 'API' }, { name: 'Web' }] },
    ])
  })

  it('joins the open incident, which is resolved after the last recovery', async () => {
    const { check, incidents, mails } = await scene()
    const [one, two, three] = [await check(), await check(), await check()]
    await fail(one)
    await fail(two, three)
    expect(await incidents()).toMatchObject([{ incidentUpdates: [{ status: 'INVESTIGATING' }] }])
    await recover(one)
    await recover(two)
    expect(statuses(await incidents())).toEqual(['INVESTIGATING'])
    await recover(three)
    expect(await incidents()).toMatchObject([
      {
        lastUpdateStatus: 'RESOLVED',
        duration: 4_000,
        incidentUpdates: [
          { status: 'RESOLVED', description: 'It works again.', notifySubscribers: true },
          { status: 'INVESTIGATING' },
        ],
      },
    ])
    expect(await mails()).toEqual(['INVESTIGATING', 'RESOLVED'])
  })

  it('stays in the same incident if one check recovers while another fails in one batch', async () => {
    const { check, incidents } = await scene()
    const [one, two] = [await check(), await check()]
    await fail(one)
    now += 1_000
    const shared = { accountId: api.alice.accountId, checkType: 'URL' as const, scheduledAt: now }
    const failure = { kind: 'connect', message: 'refused', phase: 'connect' } as const
    await insertResults(
      api.store,
      [
        { ...shared, checkId: one },
        { ...shared, checkId: two, hasFailures: true, failure },
      ],
      now,
    )
    expect(await incidents()).toMatchObject([{ incidentUpdates: [{ status: 'INVESTIGATING' }] }])
  })

  it('notifies no subscribers unless the rule is set to', async () => {
    const { check, incidents, mails } = await scene({ notifySubscribers: false })
    const id = await check()
    await fail(id)
    await recover(id)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
    expect(await mails()).toEqual([])
  })

  it('opens one incident per rule, whatever the number of pages', async () => {
    const one = await scene()
    const two = await scene({ tags: [one.tag] })
    const id = await one.check()
    await fail(id)
    await recover(id)
    expect([statuses(await one.incidents()), statuses(await two.incidents())]).toEqual([
      ['RESOLVED'],
      ['RESOLVED'],
    ])
  })
})

it('an account without rules costs no statement', async () => {
  const owner = await api.newAccount()
  const { body } = await owner.post('/v1/checks/url?autoAssignAlerts=false', {
    ...{ name: 'Shop', locations: ['eu-west-1'], request: { url: 'http://127.0.0.1/' } },
  })
  const failure = { kind: 'connect', message: 'refused', phase: 'connect' } as const
  const result = { accountId: owner.accountId, checkId: body.id, checkType: 'URL' as const, scheduledAt: now }
  const statements = await inTransaction(api.store.pool, async (client) => {
    const queries = vi.spyOn(client, 'query')
    await recordResults(client, [wholeResult({ ...result, hasFailures: true, failure })], {
      now,
      isAlerting: true,
    })
    const texts = queries.mock.calls.map(([query]) => (typeof query === 'string' ? query : query.text))
    queries.mockRestore()
    return texts
  })
  expect(statements.filter((text) => text.includes('check_alerts'))).not.toEqual([])
  expect(statements.filter((text) => text.includes('status_page_rule_'))).toEqual([])
})

describe('the cool-down', () => {
  it('opens the same incident again', async () => {
    const { check, incidents, mails } = await scene({ coolDownWindowMinutes: 5 })
    const id = await check()
    await fail(id)
    await recover(id)
    now += 4 * minute
    await fail(id)
    expect(await incidents()).toMatchObject([
      {
        lastUpdateStatus: 'INVESTIGATING',
        duration: null,
        incidentUpdates: [{ description: 'We look.' }, { status: 'RESOLVED' }, { description: 'We look.' }],
      },
    ])
    await recover(id)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
    expect(await mails()).toEqual(['INVESTIGATING', 'RESOLVED', 'INVESTIGATING', 'RESOLVED'])
  })

  it.each([
    ['after it', 5, 6],
    ['without one', 0, 0],
  ])('%s, another incident is opened', async (_when, coolDownWindowMinutes, minutes) => {
    const { check, incidents } = await scene({ coolDownWindowMinutes })
    const id = await check()
    await fail(id)
    await recover(id)
    now += minutes * minute
    await fail(id)
    expect(statuses(await incidents())).toEqual(['INVESTIGATING', 'RESOLVED'])
    await recover(id)
    expect(statuses(await incidents())).toEqual(['RESOLVED', 'RESOLVED'])
  })
})

describe('several servers', () => {
  it('open one incident and resolve it once', async () => {
    const { check, incidents, mails } = await scene()
    const ids = await Promise.all(Array.from({ length: 6 }, () => check()))
    await Promise.all(ids.map((id) => fail(id)))
    expect(await incidents()).toMatchObject([{ incidentUpdates: [{ status: 'INVESTIGATING' }] }])
    await Promise.all([...ids.map((id) => recover(id)), settleIdle(), settleIdle()])
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
    expect((await incidents())[0]?.incidentUpdates).toHaveLength(2)
    expect(await mails()).toEqual(['INVESTIGATING', 'RESOLVED'])
  })

  it('handle many rules and checks at once without failing', async () => {
    const scenes = [await scene(), await scene(), await scene()]
    const tags = scenes.map(({ tag }) => tag)
    const ids = await Promise.all(Array.from({ length: 8 }, () => newCheck({ tags })))
    await Promise.all(
      ids.flatMap((id, index) => [fail(id), index % 2 === 0 ? settleIdle() : Promise.resolve()]),
    )
    for (const { incidents } of scenes) expect(statuses(await incidents())).toEqual(['INVESTIGATING'])
    await Promise.all(ids.map((id) => recover(id)))
    for (const { incidents } of scenes) expect(statuses(await incidents())).toEqual(['RESOLVED'])
  })
})

describe('changes while an incident is open', () => {
  it('a deleted, deactivated or retagged check counts as recovered', async () => {
    const { check, tag, incidents } = await scene()
    const [one, two, three, four] = [await check(), await check(), await check(), await check()]
    await fail(one, two, three, four)
    expect((await api.alice.delete(`/v1/checks/${one}`)).status).toBe(204)
    await api.alice.put(`/v1/checks/url/${two}`, { activated: false })
    await api.alice.put(`/v1/checks/url/${three}`, { tags: ['another'] })
    expect(await settleIdle()).toBe(0)
    expect(statuses(await incidents())).toEqual(['INVESTIGATING'])
    await api.alice.put(`/v1/checks/url/${four}`, { tags: [`not ${tag}`] })
    expect(await settleIdle()).toBe(1)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
    expect(await settleIdle()).toBe(0)
  })

  it('the recovery of a check resolves it, even if others were deleted', async () => {
    const { check, incidents } = await scene()
    const [one, two] = [await check(), await check()]
    await fail(one, two)
    await api.alice.delete(`/v1/checks/${one}`)
    await recover(two)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
  })

  it('a deleted rule leaves it to people', async () => {
    const { check, rulePath, incidents } = await scene()
    const id = await check()
    await fail(id)
    expect((await api.alice.delete(rulePath)).status).toBe(204)
    await recover(id)
    await settleIdle()
    expect(statuses(await incidents())).toEqual(['INVESTIGATING'])
  })

  it('a disabled rule still resolves it', async () => {
    const { check, rulePath, incidents } = await scene()
    const id = await check()
    await fail(id)
    await api.alice.put(rulePath, { enabled: false })
    await recover(id)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
    await fail(id)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
  })

  it('a deleted component leaves the incident, and a rule without components opens none', async () => {
    const { check, path, components, incidents } = await scene()
    const id = await check()
    await fail(id)
    const [{ id: incidentId }] = (await incidents()) as [Incident]
    for (const component of components)
      expect((await api.alice.delete(`${path}/components/${component.id}`)).status).toBe(204)
    await recover(id)
    const { body } = await api.alice.get(`/v1/status-pages/incidents/${incidentId}`)
    expect(body).toMatchObject({ lastUpdateStatus: 'RESOLVED', services: [{ name: 'API' }, { name: 'Web' }] })
    now += 60 * minute
    await fail(id)
    expect(await incidents()).toEqual([])
  })

  it('a deleted incident is not opened again; the next failure opens another', async () => {
    const { check, incidents } = await scene()
    const [one, two] = [await check(), await check()]
    await fail(one)
    const [{ id }] = (await incidents()) as [Incident]
    expect((await api.alice.delete(`/v1/status-pages/incidents/${id}`)).status).toBe(204)
    await fail(two)
    expect(statuses(await incidents())).toEqual(['INVESTIGATING'])
    await recover(one, two)
    expect(statuses(await incidents())).toEqual(['RESOLVED'])
  })

  it('an incident that a user has resolved gets no second RESOLVED', async () => {
    const { check, incidents, rulePath } = await scene({ coolDownWindowMinutes: 0 })
    const [one, two] = [await check(), await check()]
    await fail(one)
    const [{ id }] = (await incidents()) as [Incident]
    await post(`/v1/status-pages/incidents/${id}/incident-updates`, {
      status: 'RESOLVED',
      description: 'By hand',
    })
    await recover(one)
    expect((await incidents())[0]?.incidentUpdates).toMatchObject([
      { description: 'By hand' },
      { status: 'INVESTIGATING' },
    ])
    await fail(two)
    expect(statuses(await incidents())).toEqual(['INVESTIGATING', 'RESOLVED'])
    expect((await api.alice.get(rulePath)).status).toBe(200)
  })

  it('a severity that a user sets applies to all services', async () => {
    const { check, incidents, url } = await scene()
    await fail(await check())
    const [{ id }] = (await incidents()) as [Incident]
    const put = (body: object) => api.alice.put(`/v1/status-pages/incidents/${id}`, body)
    now += minute
    expect((await put({ name: 'Another name' })).status).toBe(200)
    expect((await api.nobody.get(url)).text).toContain('<h3>Web</h3><span class="state degraded">')
    expect((await put({ severity: 'MAJOR' })).status).toBe(200)
    now += minute
    const { text } = await api.nobody.get(url)
    expect(text).toContain('<h3>API</h3><span class="state partial">')
    expect(text).toContain('<h3>Web</h3><span class="state partial">')
  })

  it('another account is never touched', async () => {
    const { tag, incidents } = await scene()
    const { body } = await api.bob.post('/v1/checks/url?autoAssignAlerts=false', {
      ...{ name: 'Theirs', tags: [tag], locations: ['eu-west-1'], request: { url: 'http://127.0.0.1/' } },
    })
    now += 1_000
    const failure = { kind: 'connect', message: 'refused', phase: 'connect' } as const
    const result = {
      accountId: api.bob.accountId,
      checkId: body.id,
      checkType: 'URL' as const,
      scheduledAt: now,
    }
    await insertResults(api.store, [{ ...result, hasFailures: true, failure }], now)
    expect(await incidents()).toEqual([])
  })
})
