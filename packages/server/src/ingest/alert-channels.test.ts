import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, degraded, minute, own, passed, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

describe('the channels that are notified', () => {
  it('are those that subscribe to the kind; a recovery goes to those that got the failure', async () => {
    const failures = await world.channel({ sendDegraded: false })
    const all = await world.channel({ sendDegraded: true })
    const noRecovery = await world.channel({ sendRecovery: false })
    const id = await world.checkFor([failures, all, noRecovery])
    await world.run(id, degraded, passed, refused, passed)
    expect(await world.sentTo(all, id)).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_FAILURE',
      'ALERT_RECOVERY',
    ])
    expect(await world.sentTo(failures, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
    expect(await world.sentTo(noRecovery, id)).toEqual(['ALERT_FAILURE'])
  })

  it('are none while the check is muted, and none later', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], { muted: true })
    await world.run(id, refused)
    await world.api.alice.put(`/v1/checks/url/${id}`, { muted: false })
    await world.run(id, refused, passed, refused)
    expect(await world.alertsOf(id)).toEqual(['NO_ALERT (muted)', 'NO_ALERT (untold)', 'ALERT_FAILURE'])
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('are none during maintenance that silences alerts', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], { tags: ['quiet'] })
    const window = await world.api.alice.post('/v1/maintenance-windows', {
      name: 'Work',
      startsAt: new Date(world.now()).toISOString(),
      endsAt: new Date(world.now() + 10 * minute).toISOString(),
      silenceAlertsTags: ['quiet'],
    })
    expect(window.status, window.text).toBe(201)
    await world.run(id, refused, passed)
    world.pass(10 * minute)
    await world.run(id, passed, refused)
    expect(await world.alertsOf(id)).toEqual(['NO_ALERT (maintenance)', 'NO_ALERT (untold)', 'ALERT_FAILURE'])
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('follow the settings and the subscriptions of the group, besides those of the check', async () => {
    const ofGroup = await world.channel()
    const ofCheck = await world.channel()
    const group = async (settings: object) => {
      const created = await world.api.alice.post('/v2/check-groups?autoAssignAlerts=false', {
        name: 'Group',
        alertChannelSubscriptions: [{ alertChannelId: ofGroup, activated: true }],
        ...settings,
      })
      expect(created.status, created.text).toBe(201)
      return created.body.id as number
    }
    const free = await world.checkFor([ofCheck], { groupId: await group({}) })
    const alertSettings = { runBasedEscalation: { failedRunThreshold: 2 } }
    const enforced = await world.checkFor([ofCheck], {
      groupId: await group({ alertSettings, useGlobalAlertSettings: false }),
    })
    world.pass(minute)
    for (const outcome of [refused, refused]) {
      world.pass(minute)
      for (const job of await world.agent.claim()) {
        await world.agent.report({ ...job, ...([free, enforced].includes(job.checkId) ? outcome : {}) })
      }
    }
    expect(await world.sentTo(ofGroup, free)).toEqual(['ALERT_FAILURE'])
    expect(await world.sentTo(ofCheck, free)).toEqual(['ALERT_FAILURE'])
    expect(await world.sentTo(ofGroup, enforced)).toEqual(['ALERT_FAILURE_REMAIN'])
    expect(await world.sentTo(ofCheck, enforced)).toEqual([])
  })

  it("get reminders, which aren't alerts", async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], own({ reminders: { amount: 2, interval: 5 } }))
    await world.run(id, refused)
    for (let n = 0; n < 4; n++) {
      world.pass(5 * minute)
      await world.due()
      await world.due()
    }
    expect(await world.sentTo(hook, id)).toEqual([
      'ALERT_FAILURE',
      'ALERT_FAILURE reminder 0',
      'ALERT_FAILURE reminder 1',
    ])
    expect(await world.alertsOf(id)).toEqual(['ALERT_FAILURE'])
  })

  it('get no reminders after the recovery', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], own({ reminders: { amount: 5, interval: 5 } }))
    await world.run(id, refused, passed)
    world.pass(10 * minute)
    await world.due()
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
  })
})
