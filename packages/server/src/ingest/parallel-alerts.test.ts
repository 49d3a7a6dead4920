import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refused } from '../testing/simulation.ts'
import {
  type AlertWorld,
  minute,
  type Outcome,
  own,
  passed,
  regions,
  startAlertWorld,
} from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

describe('a run in several locations', () => {
  const half = { parallelRunFailureThreshold: { enabled: true, percentage: 50 } }

  async function part(id: string, outcomes: Record<string, Outcome>) {
    const jobs = (await world.agent.claim()).filter((job) => job.checkId === id)
    for (const job of jobs) {
      const outcome = outcomes[job.location]
      if (outcome !== undefined) await world.agent.report({ ...job, ...outcome })
    }
    return jobs
  }

  it('is decided once, as soon as its outcome is certain', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], { locations: regions, runParallel: true, ...own(half) })
    world.pass(minute)
    const jobs = (await world.agent.claim()).filter((job) => job.checkId === id)
    expect(jobs).toHaveLength(4)
    const [first, second, third, fourth] = jobs
    await world.agent.report({ ...(first as (typeof jobs)[0]), ...refused })
    expect(await world.sentTo(hook, id)).toEqual([])
    await world.agent.report({ ...(second as (typeof jobs)[0]), ...refused })
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    await world.agent.report({ ...(third as (typeof jobs)[0]), ...refused })
    await world.agent.report(fourth as (typeof jobs)[0])
    expect(await world.alertsOf(id)).toEqual(['ALERT_FAILURE'])
  })

  it('is held back below the threshold of failing locations', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], { locations: regions, runParallel: true, ...own(half) })
    world.pass(minute)
    await part(id, {
      'eu-west-1': refused,
      'us-east-1': passed,
      'ap-south-1': passed,
      'eu-central-1': passed,
    })
    expect(await world.alertsOf(id)).toEqual(['NO_ALERT (parallel_threshold)'])
    const status = await world.api.alice.get(`/v1/check-statuses/${id}`)
    expect(status.body.hasFailures).toBe(true)
  })

  it('is decided at its deadline without the locations that have no agent', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], {
      locations: [...regions.slice(0, 2), 'sa-east-1', 'af-south-1', 'me-south-1'],
      runParallel: true,
      ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 100 } }),
    })
    world.pass(minute)
    await part(id, { 'eu-west-1': refused, 'us-east-1': refused })
    expect(await world.sentTo(hook, id)).toEqual([])
    world.pass(59_000)
    await world.overdue()
    expect(await world.sentTo(hook, id)).toEqual([])
    world.pass(2_000)
    await world.overdue()
    await world.overdue()
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('waits after its deadline for a location whose run is in progress', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], {
      locations: regions.slice(0, 2),
      runParallel: true,
      ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 100 } }),
    })
    world.pass(minute)
    const jobs = (await world.agent.claim()).filter((job) => job.checkId === id)
    await world.agent.report({ ...(jobs[0] as (typeof jobs)[0]), ...refused })
    world.pass(70_000)
    await world.agent.renew(jobs.slice(1))
    await world.overdue()
    expect(await world.alertsOf(id)).toEqual([])
    await world.agent.report(jobs[1] as (typeof jobs)[0])
    expect(await world.alertsOf(id)).toEqual(['NO_ALERT (parallel_threshold)'])
  })
})
