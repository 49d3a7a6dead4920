import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAlertLoops } from './alert-loops.ts'
import { openChannelClients } from './alerting/delivery/channel-clients.ts'
import { createEventLog } from './core/event-log.ts'
import { IngestPressure } from './ingest/pressure.ts'
import { startTestApi, type TestApi } from './testing/api.ts'
import { systemClock } from './testing/system-clock.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

it('with alerts off, forget pending alert states: they would be outdated when alerts are on again', async () => {
  const { alice, config, store, vault } = api
  const check = await alice.post('/v1/checks/url', {
    ...{ name: 'Shop', locations: ['eu-west-1'], frequency: 10, activated: false },
    request: { method: 'GET', url: 'http://127.0.0.1/' },
  })
  await store.pool.query(
    `insert into alert_states (check_id, account_id, state, previous_state, raw_state, runs, episode_at, decided, is_told,
       remind_at, due_at, lead)
     values ($1, $2, 'failing', 'passing', 'failing', 1, now(), 'failure', true, now(), now(), '{}')`,
    [check.body.id, alice.accountId],
  )
  const clients = openChannelClients(config)
  const loops = await startAlertLoops({
    ...{ config: { ...config, ALERTS: 'off' as const }, store, vault, clients },
    ...{ events: createEventLog(pino({ level: 'silent' })), stateLog: { add: () => undefined } },
    ...{ clock: systemClock, pressure: new IngestPressure(systemClock), log: pino({ level: 'silent' }) },
    turns: { isOwn: () => true },
  })
  await loops.stop()
  clients.close()
  expect((await store.pool.query('select check_id from alert_states')).rows).toEqual([])
  expect((await store.pool.query('select id from alert_notifications')).rows).toEqual([])
})
