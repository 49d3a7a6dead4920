// The whole way on a clock of our own: results come in over the agents' routes, alerts and notifications are rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decideDueAlerts } from '../alerting/decision/due.ts'
import { notifyChannels } from '../alerting/decision/notify-channels.ts'
import { alerting } from '../alerting/decision/switch.ts'
import { forgetAlertStates } from '../storage/alert-states.ts'
import { lockStatuses } from '../storage/status-writes.ts'
import { inTransaction } from '../storage/transaction.ts'
import { insertResults } from '../testing/results.ts'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'
import { decideOverdueParallelRuns } from './parallel-deadline.ts'

let world: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  world = await startSimulation()
  agent = await world.operator(['eu-west-1', 'us-east-1', 'ap-south-1', 'eu-central-1'])
})
afterAll(() => world.close())

const degraded = { outcome: 'degraded', responseTimeMs: 9000 } as const
const passed = {}
const minute = 60_000

type Outcome = typeof refused | typeof degraded | typeof passed

/** The next run of the check in each of its locations; the others of the world are passed. */
async function run(checkId: string, ...outcomes: Outcome[]) {
  for (const outcome of outcomes) {
    world.pass(minute)
    const jobs = await agent.claim()
    for (const job of jobs) await agent.report({ ...job, ...(job.checkId === checkId ? outcome : passed) })
    await notify()
  }
}

/** As the loops of a server do all the time. */
async function notify() {
  while ((await inTransaction(world.api.store.pool, (client) => notifyChannels(client, world.now()))) > 0);
}

async function due() {
  await notify()
  await inTransaction(world.api.store.pool, (client) => decideDueAlerts(client, world.now()))
}

async function alertsOf(checkId: string): Promise<string[]> {
  const { rows } = await world.api.store.pool.query<{ text: string }>(
    `select alert_type || coalesce(' (' || held_by || ')', '') as text from check_alerts where check_id = $1
     order by created_at, scheduled_at`,
    [checkId],
  )
  return rows.map(({ text }) => text)
}

async function sentTo(channelId: number, checkId: string): Promise<string[]> {
  await notify()
  const { rows } = await world.api.store.pool.query<{ text: string }>(
    `select a.alert_type || case when n.is_reminder then ' reminder ' || n.reminder_sequence else '' end as text
     from alert_notifications n join check_alerts a on a.check_id = n.check_id and a.id = n.check_alert_id
     where n.alert_channel_id = $1 and n.check_id = $2 order by n.place`,
    [channelId, checkId],
  )
  return rows.map(({ text }) => text)
}

async function channel(switches: Record<string, unknown> = {}): Promise<number> {
  const created = await world.api.alice.post('/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'hook', url: 'http://127.0.0.1:9/' },
    ...switches,
  })
  expect(created.status, created.text).toBe(201)
  return created.body.id
}

/** A check that tells only these channels. */
async function checkFor(channels: number[], settings: Record<string, unknown> = {}): Promise<string> {
  const { id } = await world.createCheck({
    frequencyOffset: undefined,
    alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: true })),
    ...settings,
  })
  return id
}

const own = (alertSettings: object) => ({ useGlobalAlertSettings: false, alertSettings })

describe('an alert', () => {
  it('goes out once per episode, and its recovery once', async () => {
    const hook = await channel()
    const id = await checkFor([hook])
    await run(id, passed, refused, refused, refused, passed, passed, refused)
    const told = ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE']
    expect(await alertsOf(id)).toEqual(told)
    expect(await sentTo(hook, id)).toEqual(told)
  })

  it('that only some addresses of a channel took is followed by its recovery, one that none took is not', async () => {
    const [some, none] = [await channel(), await channel()]
    const id = await checkFor([some, none])
    await run(id, refused)
    await world.api.store.pool.query(
      `update alert_notifications set status = 'FAILURE', due_at = null,
         accepted = case alert_channel_id when $2 then '{a@example.com}'::text[] else '{}' end where check_id = $1`,
      [id, some],
    )
    await run(id, passed)
    expect(await sentTo(some, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
    expect(await sentTo(none, id)).toEqual(['ALERT_FAILURE'])
  })

  it('tells of the result that brought it', async () => {
    const id = await checkFor([await channel()])
    await run(id, refused)
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
    const answer = await world.api.alice.get(`/v1/check-results/${id}/${rows[0].result_id}`)
    expect(answer.body).toMatchObject({ id: rows[0].result_id, hasFailures: true })
  })

  it('waits for the threshold, and says what was held back', async () => {
    const hook = await channel()
    const id = await checkFor([hook], own({ runBasedEscalation: { failedRunThreshold: 3 } }))
    await run(id, refused, passed, refused, refused, refused, refused, passed)
    expect(await alertsOf(id)).toEqual([
      'NO_ALERT (threshold)',
      'NO_ALERT (untold)',
      'NO_ALERT (threshold)',
      'ALERT_FAILURE_REMAIN',
      'ALERT_RECOVERY',
    ])
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN', 'ALERT_RECOVERY'])
  })

  it('comes by the hour where time is what counts', async () => {
    const hook = await channel()
    const settings = { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } }
    const id = await checkFor([hook], { ...own(settings), frequency: 30 })
    for (let isRun = false; !isRun; ) {
      world.pass(minute)
      for (const job of await agent.claim()) {
        isRun ||= job.checkId === id
        await agent.report({ ...job, ...(job.checkId === id ? refused : {}) })
      }
    }
    await due()
    expect(await sentTo(hook, id)).toEqual([])
    world.pass(5 * minute)
    await due()
    await due()
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE_REMAIN'])
  })

  it('is not made of a result that comes twice or late', async () => {
    const hook = await channel()
    const id = await checkFor([hook])
    await run(id, passed)
    world.pass(minute)
    const late = (await agent.claim()).filter((job) => job.checkId === id)
    await agent.renew(late)
    // Nobody hears of that run for a while; it is given up, and newer ones pass.
    for (let n = 0; n < 12; n++) {
      world.pass(minute)
      await world.reap()
      for (const job of await agent.claim()) await agent.report(job)
    }
    const before = await alertsOf(id)
    for (const job of late)
      expect(await agent.report({ ...job, ...refused, startedAt: world.now() - 12 * minute })).toEqual([true])
    expect(await alertsOf(id)).toEqual(before)
    const status = await world.api.alice.get(`/v1/check-statuses/${id}`)
    expect(status.body).toMatchObject({ checkId: id, hasFailures: false })
  })

  it.each([
    ['failing', [true, false, true], ['ALERT_FAILURE']],
    ['passing', [true, true, false], []],
  ])('tells of a backlog that ends %s only that, and a moment later', async (_, failures, told) => {
    const hook = await channel()
    const id = await checkFor([hook])
    const accountId = world.api.alice.accountId
    const began = world.now()
    world.pass(30 * minute)
    for (const [place, hasFailures] of failures.entries()) {
      const failure = hasFailures ? ({ kind: 'connect', message: 'connection refused' } as const) : null
      const result = {
        accountId,
        checkId: id,
        checkType: 'URL',
        scheduledAt: began + place * minute,
        hasFailures,
        failure,
      } as const
      await insertResults(world.api.store, [result], world.now())
    }
    await due()
    expect(await sentTo(hook, id)).toEqual([])
    world.pass(20_000)
    await due()
    await due()
    expect(await sentTo(hook, id)).toEqual(told)
  })
})

describe('who is told', () => {
  it('is who asked for that kind, and of a recovery who was told of its episode', async () => {
    const failures = await channel({ sendDegraded: false })
    const all = await channel({ sendDegraded: true })
    const noRecovery = await channel({ sendRecovery: false })
    const id = await checkFor([failures, all, noRecovery])
    await run(id, degraded, passed, refused, passed)
    expect(await sentTo(all, id)).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_FAILURE',
      'ALERT_RECOVERY',
    ])
    expect(await sentTo(failures, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
    expect(await sentTo(noRecovery, id)).toEqual(['ALERT_FAILURE'])
  })

  it('is nobody while the check is muted, now or later', async () => {
    const hook = await channel()
    const id = await checkFor([hook], { muted: true })
    await run(id, refused)
    await world.api.alice.put(`/v1/checks/url/${id}`, { muted: false })
    await run(id, refused, passed, refused)
    expect(await alertsOf(id)).toEqual(['NO_ALERT (muted)', 'NO_ALERT (untold)', 'ALERT_FAILURE'])
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('is nobody during maintenance that silences', async () => {
    const hook = await channel()
    const id = await checkFor([hook], { tags: ['quiet'] })
    const window = await world.api.alice.post('/v1/maintenance-windows', {
      name: 'Work',
      startsAt: new Date(world.now()).toISOString(),
      endsAt: new Date(world.now() + 10 * minute).toISOString(),
      silenceAlertsTags: ['quiet'],
    })
    expect(window.status, window.text).toBe(201)
    await run(id, refused, passed)
    world.pass(10 * minute)
    await run(id, passed, refused)
    expect(await alertsOf(id)).toEqual(['NO_ALERT (maintenance)', 'NO_ALERT (untold)', 'ALERT_FAILURE'])
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('follows the group: what it enforces, and its subscriptions beside those of the check', async () => {
    const ofGroup = await channel()
    const ofCheck = await channel()
    const group = async (settings: object) => {
      const created = await world.api.alice.post('/v2/check-groups?autoAssignAlerts=false', {
        name: 'Group',
        alertChannelSubscriptions: [{ alertChannelId: ofGroup, activated: true }],
        ...settings,
      })
      expect(created.status, created.text).toBe(201)
      return created.body.id as number
    }
    const free = await checkFor([ofCheck], { groupId: await group({}) })
    const alertSettings = { runBasedEscalation: { failedRunThreshold: 2 } }
    const enforced = await checkFor([ofCheck], {
      groupId: await group({ alertSettings, useGlobalAlertSettings: false }),
    })
    world.pass(minute)
    for (const outcome of [refused, refused]) {
      world.pass(minute)
      for (const job of await agent.claim()) {
        await agent.report({ ...job, ...([free, enforced].includes(job.checkId) ? outcome : {}) })
      }
    }
    expect(await sentTo(ofGroup, free)).toEqual(['ALERT_FAILURE'])
    expect(await sentTo(ofCheck, free)).toEqual(['ALERT_FAILURE'])
    expect(await sentTo(ofGroup, enforced)).toEqual(['ALERT_FAILURE_REMAIN'])
    expect(await sentTo(ofCheck, enforced)).toEqual([])
  })

  it('is reminded, and a reminder is no alert', async () => {
    const hook = await channel()
    const id = await checkFor([hook], own({ reminders: { amount: 2, interval: 5 } }))
    await run(id, refused)
    for (let n = 0; n < 4; n++) {
      world.pass(5 * minute)
      await due()
      await due()
    }
    expect(await sentTo(hook, id)).toEqual([
      'ALERT_FAILURE',
      'ALERT_FAILURE reminder 0',
      'ALERT_FAILURE reminder 1',
    ])
    expect(await alertsOf(id)).toEqual(['ALERT_FAILURE'])
  })

  it('is reminded no more after the recovery', async () => {
    const hook = await channel()
    const id = await checkFor([hook], own({ reminders: { amount: 5, interval: 5 } }))
    await run(id, refused, passed)
    world.pass(10 * minute)
    await due()
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
  })
})

describe('a run in several locations', () => {
  const places = ['eu-west-1', 'us-east-1', 'ap-south-1', 'eu-central-1']
  const half = { parallelRunFailureThreshold: { enabled: true, percentage: 50 } }

  async function part(id: string, outcomes: Record<string, Outcome>) {
    const jobs = (await agent.claim()).filter((job) => job.checkId === id)
    for (const job of jobs) {
      const outcome = outcomes[job.location]
      if (outcome !== undefined) await agent.report({ ...job, ...outcome })
    }
    return jobs
  }

  it('counts once, as soon as it is certain', async () => {
    const hook = await channel()
    const id = await checkFor([hook], { locations: places, runParallel: true, ...own(half) })
    world.pass(minute)
    const jobs = (await agent.claim()).filter((job) => job.checkId === id)
    expect(jobs).toHaveLength(4)
    const [first, second, third, fourth] = jobs
    await agent.report({ ...(first as (typeof jobs)[0]), ...refused })
    expect(await sentTo(hook, id)).toEqual([])
    await agent.report({ ...(second as (typeof jobs)[0]), ...refused })
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    await agent.report({ ...(third as (typeof jobs)[0]), ...refused })
    await agent.report(fourth as (typeof jobs)[0])
    expect(await alertsOf(id)).toEqual(['ALERT_FAILURE'])
  })

  it('is held back below the share of locations', async () => {
    const hook = await channel()
    const id = await checkFor([hook], { locations: places, runParallel: true, ...own(half) })
    world.pass(minute)
    await part(id, {
      'eu-west-1': refused,
      'us-east-1': passed,
      'ap-south-1': passed,
      'eu-central-1': passed,
    })
    expect(await alertsOf(id)).toEqual(['NO_ALERT (parallel_threshold)'])
    const status = await world.api.alice.get(`/v1/check-statuses/${id}`)
    expect(status.body.hasFailures).toBe(true)
  })

  it('is decided at its deadline without the locations that nobody runs', async () => {
    const hook = await channel()
    const id = await checkFor([hook], {
      locations: [...places.slice(0, 2), 'sa-east-1', 'af-south-1', 'me-south-1'],
      runParallel: true,
      ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 100 } }),
    })
    world.pass(minute)
    await part(id, { 'eu-west-1': refused, 'us-east-1': refused })
    expect(await sentTo(hook, id)).toEqual([])
    const overdue = () =>
      inTransaction(world.api.store.pool, (client) => decideOverdueParallelRuns(client, world.now()))
    world.pass(59_000)
    await overdue()
    expect(await sentTo(hook, id)).toEqual([])
    world.pass(2_000)
    await overdue()
    await overdue()
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
  })

  it('waits at its deadline for a location that is still at work', async () => {
    const hook = await channel()
    const id = await checkFor([hook], {
      locations: places.slice(0, 2),
      runParallel: true,
      ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 100 } }),
    })
    world.pass(minute)
    const jobs = (await agent.claim()).filter((job) => job.checkId === id)
    await agent.report({ ...(jobs[0] as (typeof jobs)[0]), ...refused })
    world.pass(70_000)
    await agent.renew(jobs.slice(1))
    await inTransaction(world.api.store.pool, (client) => decideOverdueParallelRuns(client, world.now()))
    expect(await alertsOf(id)).toEqual([])
    await agent.report(jobs[1] as (typeof jobs)[0])
    expect(await alertsOf(id)).toEqual(['NO_ALERT (parallel_threshold)'])
  })
})

describe('a certificate', () => {
  it('is told of once per channel and threshold, and again after a renewal', async () => {
    const early = await channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const lateOne = await channel({ sslExpiry: true, sslExpiryThreshold: 7 })
    const never = await channel()
    const id = await checkFor([early, lateOne, never], {
      request: { method: 'GET', url: 'https://shop.example.com/x' },
    })
    const day = 86_400_000
    let expiresAt = world.now() + 31.5 * day
    const seen = async (certificate: number) =>
      run(id, { sslDaysRemaining: Math.floor((certificate - world.now()) / day) } as Outcome)
    const other = expiresAt + 60 * day
    for (const wait of [0, 1, 1, 1, 20, 1, 1]) {
      world.pass(wait * day)
      await seen(expiresAt)
      // Another server behind the same name has another certificate.
      await seen(other)
    }
    // Renewed at once when it was told, and near its end again.
    expiresAt += 40 * day
    await seen(expiresAt)
    world.pass(35 * day)
    await seen(expiresAt)
    expect(await sentTo(early, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
    expect(await sentTo(lateOne, id)).toEqual(['ALERT_SSL'])
    expect(await sentTo(never, id)).toEqual([])
    const { rows } = await world.api.store.pool.query(
      `select facts -> 'ssl' as ssl from check_alerts where check_id = $1 order by created_at`,
      [id],
    )
    expect(rows.map(({ ssl }) => ssl)).toEqual([
      { daysRemaining: 30, domain: 'shop.example.com' },
      { daysRemaining: 7, domain: 'shop.example.com' },
      { daysRemaining: 11, domain: 'shop.example.com' },
    ])
  })

  it('is no news each time that two servers behind one name take turns', async () => {
    const hook = await channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const id = await checkFor([hook])
    for (let turn = 0; turn < 5; turn++)
      for (const sslDaysRemaining of [5, 20]) await run(id, { sslDaysRemaining } as Outcome)
    expect(await sentTo(hook, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
  })

  it('is news when it takes the place of a told one that would have lasted longer', async () => {
    const hook = await channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const id = await checkFor([hook])
    for (const sslDaysRemaining of [25, 25, 9, 9]) await run(id, { sslDaysRemaining } as Outcome)
    expect(await sentTo(hook, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
  })
})

describe('after a time without alerts (ALERTS=off)', () => {
  it('a check that failed before, recovered unseen and fails again is told anew', async () => {
    const hook = await channel()
    const id = await checkFor([hook])
    await run(id, passed, refused)
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    alerting.isOn = false
    try {
      await forgetAlertStates(world.api.store.pool, world.now() + 1)
      await run(id, passed, refused)
    } finally {
      alerting.isOn = true
    }
    await run(id, refused)
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_FAILURE'])
    await run(id, refused, passed)
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE', 'ALERT_FAILURE', 'ALERT_RECOVERY'])
  })
})

describe('a check that is deleted while it is decided', () => {
  it('is gone, whoever has to give way', async () => {
    const id = await checkFor([await channel()])
    await run(id, passed)
    const { pool } = world.api.store
    const client = await pool.connect()
    await client.query('begin')
    await lockStatuses(client, [{ accountId: world.api.alice.accountId, checkId: id }], world.now())
    const deleted = world.api.alice.delete(`/v1/checks/${id}`)
    const waiting = `select count(*) as total from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rows[0].total).toBe(1)
    // Refers to the check, which the other holds: a circle.
    const decided = client.query(
      `insert into check_alerts (id, account_id, check_id, check_type, alert_type, name, run_location, scheduled_at, started_at,
         facts, created_at)
       values (gen_random_uuid(), $1, $2, 'URL', 'ALERT_FAILURE', 'x', 'eu-west-1', now(), now(), '{}', now())`,
      [world.api.alice.accountId, id],
    )
    await decided.catch(() => undefined)
    await client.query('rollback')
    client.release()
    expect((await deleted).status).toBe(204)
  })
})

describe('what does not run by schedule', () => {
  it('alerts when it is a check session, never when it is a test', async () => {
    const hook = await channel()
    const id = await checkFor([hook])
    const session = await world.api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
    expect(session.body.sessions).toHaveLength(1)
    for (const job of (await agent.claim()).filter((job) => job.checkId === id))
      await agent.report({ ...job, ...refused })
    expect(await sentTo(hook, id)).toEqual(['ALERT_FAILURE'])
    const other = await checkFor([hook])
    const test = await world.api.alice.post('/v1/test-sessions/trigger', {
      name: 'Try',
      runLocation: 'eu-west-1',
      target: { checkId: [other] },
    })
    expect(test.status, test.text).toBe(201)
    const jobs = (await agent.claim()).filter((job) => job.checkId === other)
    expect(jobs.length).toBeGreaterThan(0)
    for (const job of jobs) await agent.report({ ...job, ...refused })
    expect(await alertsOf(other)).toEqual([])
  })
})
