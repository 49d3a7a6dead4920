import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

describe('an on-demand run', () => {
  it('alerts in a check session, never in a test session', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    const session = await world.api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
    expect(session.body.sessions).toHaveLength(1)
    for (const job of (await world.agent.claim()).filter((job) => job.checkId === id))
      await world.agent.report({ ...job, ...refused })
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    const other = await world.checkFor([hook])
    const test = await world.api.alice.post('/v1/test-sessions/trigger', {
      name: 'Try',
      runLocation: 'eu-west-1',
      target: { checkId: [other] },
    })
    expect(test.status, test.text).toBe(201)
    const jobs = (await world.agent.claim()).filter((job) => job.checkId === other)
    expect(jobs.length).toBeGreaterThan(0)
    for (const job of jobs) await world.agent.report({ ...job, ...refused })
    expect(await world.alertsOf(other)).toEqual([])
  })
})
