import { afterEach, describe, expect, it } from 'vitest'
import { decisionContext } from '../alerting/decision/decision-context.ts'
import { forgetAlertStates } from '../storage/alerts/alert-states.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { wholeResult } from '../testing/results.ts'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, minute, passed, regions, startAlertWorld } from './alerts.fixture.ts'
import { expireHeartbeats } from './heartbeat.ts'
import { recordResults } from './record.ts'

let world: AlertWorld
afterEach(() => world.close())

/** As a server with ALERTS=off does. */
async function recordUnseen(checkId: string, hasFailures: boolean): Promise<void> {
  world.pass(minute)
  const { accountId } = world.api.alice
  const failure = hasFailures ? ({ kind: 'connect', message: 'connection refused' } as const) : null
  const part = { accountId, checkId, checkType: 'URL', hasFailures, failure } as const
  const result = wholeResult({ ...part, scheduledAt: world.now() })
  await inTransaction(world.api.store.pool, (client) =>
    recordResults(client, [result], { now: world.now(), isAlerting: false }),
  )
}

describe('while alerts are off (ALERTS=off)', () => {
  it('statuses follow the results, and no alert is decided', async () => {
    world = await startAlertWorld({ ALERTS: 'off' })
    const { alice, config, nobody, store } = world.api
    const isFailing = async (checkId: string) =>
      (await alice.get(`/v1/check-statuses/${checkId}`)).body.hasFailures
    const hook = await world.channel({ sslExpiry: true })
    const id = await world.checkFor([hook])
    await world.run(id, { ...refused, sslDaysRemaining: 2 })
    expect(await isFailing(id)).toBe(true)
    const locations = [...regions.slice(0, 1), 'sa-east-1']
    const parallel = await world.checkFor([hook], { locations, runParallel: true })
    await world.run(parallel, refused)
    world.pass(2 * minute)
    await world.overdue()
    expect(await isFailing(parallel)).toBe(true)
    const heartbeat = { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' }
    const { body } = await alice.post('/v1/checks/heartbeat', { name: 'Job', heartbeat })
    const ping = new URL(body.heartbeat.pingUrl).pathname
    expect((await nobody.get(ping)).status).toBe(200)
    world.pass(3 * minute)
    await expireHeartbeats(store.pool, decisionContext({ clock: world, config }), 10)
    expect(await isFailing(body.id)).toBe(true)
    for (const table of ['check_alerts', 'alert_states', 'alert_notifications'])
      expect((await store.pool.query(`select check_id from ${table}`)).rows, table).toEqual([])
  })
})

describe('after a time without alerts (ALERTS=off)', () => {
  it('a check that recovered meanwhile and fails again is notified again', async () => {
    world = await startAlertWorld()
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    await world.run(id, passed, refused)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    await forgetAlertStates(world.api.store.pool, world.now() + 1)
    await recordUnseen(id, false)
    await recordUnseen(id, true)
    await world.run(id, refused)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_FAILURE'])
    await world.run(id, refused, passed)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_FAILURE', 'ALERT_RECOVERY'])
  })
})
