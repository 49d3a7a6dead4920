import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../storage/core/transaction.ts'
import { insertIncidentNotices } from '../../storage/pages/incident-notices.ts'
import { claimWebhookDeliveries } from '../../storage/pages/page-webhook-queue.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { bodyOf, closeListeners, listenHttp } from '../../testing/listeners.ts'
import { openChannelClients } from './channel-clients.ts'
import { openPageWebhooks, type PageWebhookOptions, sendTestEvent } from './page-webhooks.ts'

const minute = 60_000
const day = 86_400_000
let now: number
let api: TestApi
let clients: ReturnType<typeof openChannelClients>

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  clients = openChannelClients(api.config)
})
beforeEach(() => {
  now = Date.parse('2026-11-15T08:00:00.000Z')
})
afterEach(async () => {
  await closeListeners()
  await api.store.pool.query('delete from page_webhooks')
})
afterAll(async () => {
  clients.close()
  await api.close()
})

interface Received {
  headers: IncomingHttpHeaders
  body: string
  event: { type: string; timestamp: string; data: Record<string, Record<string, unknown>> }
}

/** `respond` may leave the response open. */
async function receiver(respond: (response: ServerResponse, count: number) => unknown = (r) => r.end()) {
  const received: Received[] = []
  const { url } = await listenHttp(async (request, response) => {
    const body = await bodyOf(request)
    received.push({ headers: request.headers, body, event: JSON.parse(body) })
    respond(response, received.length)
  })
  return { url, received, types: () => received.map(({ event }) => event.type) }
}

/** A page with a service and a webhook. */
async function scene(url: string, settings: object = {}) {
  const service = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body
  const page = (
    await api.alice.post('/v1/status-pages', {
      name: 'Shop',
      url: `p-${randomUUID().slice(0, 13)}`,
      cards: [
        { name: 'A', services: [{ id: service.id }] },
        { name: 'B', services: [{ id: service.id }] },
      ],
    })
  ).body
  const path = `/v1/status-pages/${page.id}/webhooks`
  const created = await api.alice.post(path, { name: 'Bot', url, ...settings })
  expect(created.status, created.text).toBe(201)
  const own = `${path}/${created.body.id}`
  return {
    page,
    service,
    own,
    secret: created.body.secret as string,
    open: async (name = 'Down'): Promise<{ id: string; incidentUpdates: { id: string }[] }> =>
      (
        await api.alice.post('/v1/status-pages/incidents', {
          name,
          severity: 'MAJOR',
          services: [{ id: service.id }],
          incidentUpdates: [{ description: 'We look.' }],
        })
      ).body,
    add: (id: string, update: object) =>
      api.alice.post(`/v1/status-pages/incidents/${id}/incident-updates`, {
        description: 'News.',
        ...update,
      }),
    read: async () => (await api.alice.get(own)).body,
    log: async () => (await api.alice.get(`${own}/deliveries`)).body,
  }
}

const openServer = (over: Partial<PageWebhookOptions> = {}) =>
  openPageWebhooks({
    pool: api.store.pool,
    vault: api.vault,
    clock: { now: () => now },
    log: pino({ level: 'silent' }),
    publicUrl: 'http://vedette.test',
    http: clients.senders.http,
    isOn: true,
    ...over,
  })

async function countAttempts(): Promise<number> {
  const { rows } = await api.store.pool.query('select sum(attempts) as total from page_webhook_deliveries')
  return Number(rows[0].total)
}

/** Sends everything that is due now. */
async function deliver(over: Partial<PageWebhookOptions> = {}): Promise<void> {
  for (let before = -1; before < (await countAttempts()); ) {
    before = await countAttempts()
    const server = openServer(over)
    await server.turn()
    await server.stop()
  }
}

describe('a webhook of a status page', () => {
  it('receives the events of an incident in order, signed, and each once', async () => {
    const { url, received, types } = await receiver()
    const { page, service, secret, open, add, log } = await scene(url)
    const incident = await open('Checkout <is> down')
    await add(incident.id, { status: 'MONITORING' })
    await add(incident.id, { status: 'RESOLVED', notifySubscribers: true })
    await deliver()
    await deliver()
    expect(types()).toEqual(['INCIDENT_OPENED', 'INCIDENT_UPDATED', 'INCIDENT_RESOLVED'])
    const [first] = received
    const address = `http://vedette.test/s/${page.url}`
    expect(first?.event).toEqual({
      type: 'INCIDENT_OPENED',
      timestamp: '2026-11-15T08:00:00.000Z',
      data: {
        statusPage: { id: page.id, name: 'Shop', url: address },
        incident: {
          id: incident.id,
          name: 'Checkout <is> down',
          severity: 'MAJOR',
          services: [{ id: service.id, name: 'Checkout' }],
          url: `${address}/incidents/${incident.id}`,
        },
        update: {
          id: incident.incidentUpdates[0]?.id,
          status: 'INVESTIGATING',
          description: 'We look.',
          publicIncidentUpdateDate: '2026-11-15T08:00:00.000Z',
          notifySubscribers: false,
        },
      },
    })
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = first?.headers ?? {}
    expect(timestamp).toBe(String(now / 1000))
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${first?.body}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
    expect(await log()).toMatchObject([
      { event: 'INCIDENT_RESOLVED', status: 'SUCCESS' },
      { event: 'INCIDENT_UPDATED', status: 'SUCCESS' },
      {
        id,
        event: 'INCIDENT_OPENED',
        incidentId: incident.id,
        status: 'SUCCESS',
        result: 'The channel responded with status 200.',
        attempts: 1,
        nextAttemptAt: null,
      },
    ])
  })

  it('receives only the chosen events, nothing while it is off, and nothing about other services', async () => {
    const { url, types } = await receiver()
    const { own, open, add } = await scene(url, { events: ['INCIDENT_RESOLVED'] })
    const { id } = await open()
    await add(id, { status: 'RESOLVED' })
    const other = (await api.alice.post('/v1/status-pages/services', { name: 'Hidden' })).body
    await api.alice.post('/v1/status-pages/incidents', {
      name: 'Elsewhere',
      severity: 'MINOR',
      services: [{ id: other.id }],
      incidentUpdates: [{ description: 'Over.', status: 'RESOLVED' }],
    })
    await deliver()
    expect(types()).toEqual(['INCIDENT_RESOLVED'])
    await api.alice.put(own, { name: 'Bot', url, activated: false })
    await open()
    await deliver()
    expect(types()).toEqual(['INCIDENT_RESOLVED'])
  })

  it('gets one row for an update, even if it is announced twice', async () => {
    const { url } = await receiver()
    const { open, log } = await scene(url)
    const { incidentUpdates } = await open()
    const update = { accountId: api.alice.accountId, id: String(incidentUpdates[0]?.id) }
    const announce = () =>
      inTransaction(api.store.pool, (client) => insertIncidentNotices(client, [update], now))
    await Promise.all([announce(), announce()])
    expect(await log()).toHaveLength(1)
  })

  it('does not hear of an incident whose transaction fails', async () => {
    const { url } = await receiver()
    const { service, log } = await scene(url)
    const refused = await api.alice.post('/v1/status-pages/incidents', {
      name: 'Down',
      severity: 'MAJOR',
      services: [{ id: service.id }, { id: randomUUID() }],
      incidentUpdates: [{ description: 'We look.' }],
    })
    expect(refused.status).toBe(400)
    expect(await log()).toEqual([])
  })
})

describe('a failed delivery', () => {
  it('is retried with the same id and body, and later events of the incident wait', async () => {
    const { url, received, types } = await receiver((response, count) =>
      response.writeHead(count < 3 ? 503 : 200).end(),
    )
    const { open, add, log } = await scene(url)
    const { id } = await open()
    await add(id, { status: 'RESOLVED' })
    await deliver()
    expect(types()).toEqual(['INCIDENT_OPENED'])
    expect((await log())[1]).toMatchObject({
      status: 'IN_PROGRESS',
      result: 'The channel responded with status 503.',
      nextAttemptAt: '2026-11-15T08:00:05.000Z',
    })
    now += 5_000
    await deliver()
    now += 15_000
    await deliver()
    expect(types()).toEqual(['INCIDENT_OPENED', 'INCIDENT_OPENED', 'INCIDENT_OPENED', 'INCIDENT_RESOLVED'])
    expect(new Set(received.slice(0, 3).map(({ body }) => body)).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3)
  })

  it('delays neither other incidents nor other webhooks', async () => {
    const slow = await receiver(() => undefined)
    const fast = await receiver()
    const [one, other] = [await scene(slow.url), await scene(fast.url)]
    await one.open()
    await other.open('First')
    await other.open('Second')
    const server = openServer({ stopTimeoutMs: 50 })
    await server.turn()
    await expect.poll(() => fast.received.length).toBe(1)
    await expect
      .poll(async () => {
        await server.turn()
        return fast.received.length
      })
      .toBe(2)
    await server.stop()
    expect(slow.received).toHaveLength(1)
    expect(await one.log()).toMatchObject([
      { status: 'IN_PROGRESS', result: expect.stringContaining('was stopped') },
    ])
  })

  it('is given up after five retries of a refusal, and the next one is sent', async () => {
    const { url, types } = await receiver((response, count) =>
      response.writeHead(count < 7 ? 404 : 200).end(),
    )
    const { open, add, log } = await scene(url)
    const { id } = await open()
    await add(id, { status: 'RESOLVED' })
    for (let turn = 0; turn < 6; turn++) {
      await deliver()
      now += 15 * minute
    }
    await deliver()
    expect(types()).toEqual([...Array(6).fill('INCIDENT_OPENED'), 'INCIDENT_RESOLVED'])
    expect(await log()).toMatchObject([{ status: 'SUCCESS' }, { status: 'FAILURE', attempts: 6 }])
  })

  it('switches the webhook off when it failed for days, until its owner switches it on', async () => {
    let isDown = true
    const { url, received } = await receiver((response) => response.writeHead(isDown ? 500 : 200).end())
    const { own, open, read, log } = await scene(url)
    /** Until nothing waits any more. */
    const fail = async () => {
      await open()
      for (let turn = 0; turn < 60; turn++) {
        await deliver()
        now += 15 * minute
      }
    }
    await fail()
    expect(await read()).toMatchObject({ activated: true, deactivatedReason: null })
    now += 3 * day
    await fail()
    const off = await read()
    expect(off.activated).toBe(false)
    expect(off.deactivatedReason).toMatch(
      /^It was switched off, because it accepted nothing for more than 3 days\. .*500/,
    )
    const before = received.length
    await open()
    await deliver()
    expect(received).toHaveLength(before)
    expect(await log()).toHaveLength(2)
    isDown = false
    await api.alice.put(own, { activated: true })
    expect(await read()).toMatchObject({ activated: true, deactivatedReason: null })
    await open()
    await deliver()
    expect((await log())[0]).toMatchObject({ status: 'SUCCESS' })
  })

  it('does not switch off a webhook that accepted something since', async () => {
    let isDown = true
    const { url } = await receiver((response) => response.writeHead(isDown ? 404 : 200).end())
    const { open, read } = await scene(url)
    const run = async () => {
      await open()
      for (let turn = 0; turn < 8; turn++) {
        await deliver()
        now += 15 * minute
      }
    }
    await run()
    isDown = false
    await run()
    isDown = true
    now += 4 * day
    await run()
    expect(await read()).toMatchObject({ activated: true })
  })

  it('is the outcome for addresses that the operator forbids', async () => {
    const { open, log } = await scene('http://169.254.169.254/latest')
    await open()
    await deliver()
    const [entry] = await log()
    expect(entry.result).toContain('169.254.169.254')
    expect(entry.status).not.toBe('SUCCESS')
  })

  it('fails at once if alerts are off, and waits for nothing if the webhook was switched off meanwhile', async () => {
    const { url, received } = await receiver()
    const { open, log, own } = await scene(url)
    await open()
    await deliver({ isOn: false })
    await open()
    await api.alice.put(own, { name: 'Bot', url, activated: false })
    await deliver()
    expect(received).toEqual([])
    expect(await log()).toMatchObject([
      { status: 'FAILURE', result: 'The event was not sent, because the webhook is switched off.' },
      { status: 'FAILURE', result: expect.stringContaining('ALERTS=off') },
    ])
  })
})

describe('several servers', () => {
  it('send each event once', async () => {
    const { url, received } = await receiver()
    const { open } = await scene(url)
    for (let n = 0; n < 12; n++) await open(`Incident ${n}`)
    const servers = [openServer(), openServer(), openServer()]
    await expect
      .poll(async () => {
        await Promise.all(servers.map((server) => server.turn()))
        return received.length
      })
      .toBe(12)
    await Promise.all(servers.map((server) => server.stop()))
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(12)
  })

  it('take over what a killed one had claimed, with the same id', async () => {
    const { url, received } = await receiver()
    const { open, log } = await scene(url)
    await open()
    const [claimed] = await claimWebhookDeliveries(api.store.pool, {
      now,
      limit: 9,
      busy: [],
      leaseMs: minute,
    })
    await deliver()
    expect(received).toEqual([])
    now += minute
    await deliver()
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([claimed?.id])
    expect(await log()).toMatchObject([{ status: 'SUCCESS', attempts: 2 }])
  })

  it('do not send an accepted event again after a failure of the database', async () => {
    const { url, received } = await receiver()
    const { open, log } = await scene(url)
    await open()
    const { pool } = api.store
    let failures = 1
    const query = async (...args: unknown[]) => {
      if (String(args[0]).includes('set status = $4') && failures-- > 0)
        throw new Error('Connection terminated')
      return Reflect.apply(pool.query, pool, args)
    }
    const broken = new Proxy(pool, { get: (of, key) => (key === 'query' ? query : Reflect.get(of, key, of)) })
    await deliver({ pool: broken })
    now += minute
    await deliver()
    expect(received).toHaveLength(1)
    expect(await log()).toMatchObject([{ status: 'SUCCESS', attempts: 1 }])
  })
})

describe('a test event', () => {
  it('is sent once, and its outcome is the response', async () => {
    const { url, received } = await receiver((response, count) =>
      response.writeHead(count === 1 ? 200 : 410).end('hi'),
    )
    const { page, secret, log } = await scene(url)
    const send = () => sendTestEvent(clients, { url, secret, page, now, signal: AbortSignal.timeout(30_000) })
    expect(await send()).toEqual({ status: 'SUCCESS', result: 'The channel responded with status 200 (hi).' })
    expect(received[0]?.event).toMatchObject({
      type: 'TEST',
      data: { statusPage: { id: page.id, name: 'Shop' } },
    })
    expect(await send()).toMatchObject({ status: 'FAILURE' })
    expect(await log()).toEqual([])
  })
})
