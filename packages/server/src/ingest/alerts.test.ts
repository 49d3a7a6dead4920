import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertResults } from '../testing/results.ts'
import { refused } from '../testing/simulation.ts'
import { type AlertWorld, minute, own, passed, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

describe('an alert', () => {
  it('is sent once per episode, and its recovery once', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    await world.run(id, passed, refused, refused, refused, passed, passed, refused)
    const expected = ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE']
    expect(await world.alertsOf(id)).toEqual(expected)
    expect(await world.sentTo(hook, id)).toEqual(expected)
  })

  it('that some addresses of a channel accepted is followed by its recovery; one that none accepted is not', async () => {
    const [some, none] = [await world.channel(), await world.channel()]
    const id = await world.checkFor([some, none])
    await world.run(id, refused)
    await world.api.store.pool.query(
      `update alert_notifications set status = 'FAILURE', due_at = null,
         accepted = case alert_channel_id when $2 then '{a@example.com}'::text[] else '{}' end where check_id = $1`,
      [id, some],
    )
    await world.run(id, passed)
    expect(await world.sentTo(some, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
    expect(await world.sentTo(none, id)).toEqual(['ALERT_FAILURE'])
  })

  it('refers to the result that caused it', async () => {
    const id = await world.checkFor([await world.channel()])
    await world.run(id, refused)
    const { rows } = await world.api.store.pool.query('select * from check_alerts where check_id = $1', [id])
    expect(rows[0]).toMatchObject({
      name: 'A check',
      check_type: 'URL',
      run_location: 'eu-west-1',
      error: 'connection refused',
      response_time: null,
      status_code: null,
      account_id: world.api.alice.accountId,
    })
    const response = await world.api.alice.get(`/v1/check-results/${id}/${rows[0].result_id}`)
    expect(response.body).toMatchObject({ id: rows[0].result_id, hasFailures: true })
  })

  it('waits for the threshold, and records what was held back', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook], own({ runBasedEscalation: { failedRunThreshold: 3 } }))
    await world.run(id, refused, passed, refused, refused, refused, refused, passed)
    expect(await world.alertsOf(id)).toEqual([
      'NO_ALERT (threshold)',
      'NO_ALERT (untold)',
      'NO_ALERT (threshold)',
      'ALERT_FAILURE_REMAIN',
      'ALERT_RECOVERY',
    ])
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN', 'ALERT_RECOVERY'])
  })

  it('with a time-based escalation is due without a result', async () => {
    const hook = await world.channel()
    const settings = { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } }
    const id = await world.checkFor([hook], { ...own(settings), frequency: 30 })
    for (let isRun = false; !isRun; ) {
      world.pass(minute)
      for (const job of await world.agent.claim()) {
        isRun ||= job.checkId === id
        await world.agent.report({ ...job, ...(job.checkId === id ? refused : {}) })
      }
    }
    await world.due()
    expect(await world.sentTo(hook, id)).toEqual([])
    world.pass(5 * minute)
    await world.due()
    await world.due()
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN'])
  })

  it('is not caused by a duplicate or late result', async () => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    await world.run(id, passed)
    world.pass(minute)
    const late = (await world.agent.claim()).filter((job) => job.checkId === id)
    await world.agent.renew(late)
    // No report of that run arrives: it is given up, and newer runs pass.
    for (let n = 0; n < 12; n++) {
      world.pass(minute)
      await world.reap()
      for (const job of await world.agent.claim()) await world.agent.report(job)
    }
    const before = await world.alertsOf(id)
    for (const job of late)
      expect(await world.agent.report({ ...job, ...refused, startedAt: world.now() - 12 * minute })).toEqual([
        true,
      ])
    expect(await world.alertsOf(id)).toEqual(before)
    const status = await world.api.alice.get(`/v1/check-statuses/${id}`)
    expect(status.body).toMatchObject({ checkId: id, hasFailures: false })
  })

  it.each([
    ['failing', [true, false, true], ['ALERT_FAILURE']],
    ['passing', [true, true, false], []],
  ])('reports only the end of a backlog that ends %s, a little later', async (_, failures, expected) => {
    const hook = await world.channel()
    const id = await world.checkFor([hook])
    const accountId = world.api.alice.accountId
    const began = world.now()
    world.pass(30 * minute)
    for (const [index, hasFailures] of failures.entries()) {
      const failure = hasFailures ? ({ kind: 'connect', message: 'connection refused' } as const) : null
      const result = {
        accountId,
        checkId: id,
        checkType: 'URL',
        scheduledAt: began + index * minute,
        hasFailures,
        failure,
      } as const
      await insertResults(world.api.store, [result], world.now())
    }
    await world.due()
    expect(await world.sentTo(hook, id)).toEqual([])
    world.pass(20_000)
    await world.due()
    await world.due()
    expect(await world.sentTo(hook, id)).toEqual(expected)
  })
})
