// Delivery to real servers on loopback, on a simulated clock. Inserts alerts and counts what arrives.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pino } from 'pino'
import { expect } from 'vitest'
import { insertAlert } from '../../testing/alerts.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { bodyOf, closeListeners, listenHttp } from '../../testing/listeners.ts'
import { openChannelClients } from './channel-clients.ts'
import { type Delivery, type DeliveryOptions, openDelivery } from './deliver.ts'

export const second = 1_000

export interface DeliveryWorld {
  api: TestApi
  now(): number
  pass(ms: number): void
  /** The server that `deliverAll` uses; a test may replace it. */
  delivery: Delivery
  open(isOn?: boolean, over?: Partial<DeliveryOptions>): Delivery
  /** Sends everything that is due, and waits for it. */
  deliverAll(): Promise<void>
  channelTo(url: string, config?: object): Promise<number>
  check(): Promise<string>
  /** Inserts an alert and its notifications, one per channel, in this order. */
  insertAlert(checkId: string, alertType: string, channels: number[]): Promise<string[]>
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary columns
  logOf(id: string | undefined): Promise<any>
  /** Removes everything after a test. */
  clear(): Promise<void>
  close(): Promise<void>
}

export async function startDeliveryWorld(): Promise<DeliveryWorld> {
  let now = Date.UTC(2026, 10, 15, 8)
  const api = await startTestApi({}, { now: () => now })
  const { alice, store, vault } = api
  const clients = openChannelClients(api.config)
  const open: DeliveryWorld['open'] = (isOn = true, over = {}) =>
    openDelivery({
      store,
      vault,
      isOn,
      clock: { now: () => now },
      log: pino({ level: 'silent' }),
      settings: clients.settings,
      senders: clients.senders,
      renderTemplate: clients.renderTemplate,
      ...over,
    })
  const world: DeliveryWorld = {
    api,
    open,
    delivery: open(),
    now: () => now,
    pass(ms) {
      now += ms
    },
    async deliverAll() {
      await world.delivery.turn()
      await world.delivery.stop()
      world.delivery = open()
    },
    async channelTo(url, config = {}) {
      const created = await alice.post('/v1/alert-channels', {
        type: 'WEBHOOK',
        config: { url, template: '{{ALERT_TYPE}} {{CHECK_NAME}}', ...config },
      })
      expect(created.status, created.text).toBe(201)
      return created.body.id
    },
    async check() {
      const created = await alice.post('/v1/checks/url', {
        name: 'Shop',
        locations: ['eu-west-1'],
        frequency: 10,
        activated: false,
        request: { method: 'GET', url: 'http://127.0.0.1/' },
      })
      expect(created.status, created.text).toBe(201)
      return created.body.id
    },
    insertAlert: (checkId, alertType, channels) =>
      insertNotifications(api, now, { checkId, alertType, channels }),
    async logOf(id) {
      const { rows } = await store.pool.query(
        'select status, notification_result as result, attempts, due_at from alert_notifications where id = $1',
        [id],
      )
      return rows[0]
    },
    async clear() {
      await world.delivery.stop()
      world.delivery = open()
      await closeListeners()
      await store.pool.query('delete from alert_notifications')
    },
    async close() {
      await world.delivery.stop()
      clients.close()
      await api.close()
    },
  }
  return world
}

async function insertNotifications(
  api: TestApi,
  now: number,
  { checkId, alertType, channels }: { checkId: string; alertType: string; channels: number[] },
): Promise<string[]> {
  const account_id = api.alice.accountId
  const facts = {
    accountName: 'A',
    description: null,
    groupId: null,
    groupName: null,
    tags: ['web'],
    errorGroupId: null,
  }
  const kind = alertType.includes('RECOVERY') ? 'recovery' : 'failure'
  const alertId = await insertAlert(api.store.db, {
    account_id,
    check_id: checkId,
    at: now,
    alert_type: alertType,
    kind,
    name: 'Shop',
    facts: JSON.stringify(facts),
  })
  const { rows } = await api.store.pool.query<{ id: string }>(
    `insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
       is_reminder, reminder_sequence, status, due_at, created_at)
     select gen_random_uuid(), $1, $2, 'URL', $3, channel, 'WEBHOOK', $4, false, 0, 'IN_PROGRESS',
       to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0)
     from unnest($6::integer[]) with ordinality as c (channel, position) order by c.position returning id`,
    [account_id, checkId, alertId, kind, now, channels],
  )
  return rows.map(({ id }) => id)
}

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

export async function hook(respond: Respond = (_, response) => response.end('ok')) {
  const received: { id: string; body: string }[] = []
  const { url } = await listenHttp(async (request, response) => {
    const body = await bodyOf(request)
    received.push({ id: String(request.headers['x-vedette-id']), body })
    respond(request, response, body)
  })
  return { url, received }
}
