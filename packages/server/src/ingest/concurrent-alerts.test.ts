// Several servers decide results of the same checks concurrently, in any order, while checks are deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decideDueAlerts } from '../alerting/decision/due.ts'
import { notifyChannels } from '../alerting/decision/notify-channels.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import { lockStatuses } from '../storage/results/status-writes.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { decideOverdueParallelRuns } from './parallel-deadline.ts'

const start = Date.UTC(2026, 10, 15, 8)
const second = 1_000
let now = start
let api: TestApi
let channelId: number
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  const config = { name: 'hook', url: 'http://127.0.0.1:9/' }
  channelId = (await api.alice.post('/v1/alert-channels', { type: 'WEBHOOK', config })).body.id
})
afterAll(() => api.close())

async function createCheck(): Promise<string> {
  const created = await api.alice.post('/v1/checks/url', {
    name: 'Shop',
    locations: ['eu-west-1'],
    frequency: 10,
    activated: true,
    request: { method: 'GET', url: 'http://127.0.0.1/' },
    useGlobalAlertSettings: false,
    alertSettings: { reminders: { amount: 3, interval: 5 } },
    alertChannelSubscriptions: [{ alertChannelId: channelId, activated: true }],
  })
  expect(created.status, created.text).toBe(201)
  return created.body.id
}

type Work = (client: Client, now: number) => Promise<number>
const tick = () => {
  now += 100
  return now
}
const decideParallel: Work = (client, now) => decideOverdueParallelRuns(client, { now, isAlerting: true })
const turn = (work: Work, at = now) => inTransaction(api.store.pool, (client) => work(client, at))

function result(checkId: string, scheduledAt: number, hasFailures: boolean): SomeResult {
  const failure = hasFailures ? ({ kind: 'connect', message: 'refused', phase: 'connect' } as const) : null
  return { accountId: api.alice.accountId, checkId, checkType: 'URL', scheduledAt, hasFailures, failure }
}

/** f for failure and r for recovery, in the order of the channel's notifications. */
async function listKinds(checkId: string): Promise<string> {
  while ((await turn(notifyChannels, now + 60 * second)) > 0);
  const { rows } = await api.store.pool.query<{ kind: string }>(
    'select kind from alert_notifications where check_id = $1 and not is_reminder order by place',
    [checkId],
  )
  return rows.map(({ kind }) => kind.charAt(0)).join('')
}

async function isFailing(checkId: string): Promise<boolean> {
  const { rows } = await api.store.pool.query(
    'select has_failures from check_statuses where check_id = $1 and decided_at > to_timestamp(0)',
    [checkId],
  )
  return rows[0].has_failures
}

describe('alerts of a check', () => {
  it('are sent in the order of its runs, even if the clocks of the servers differ', async () => {
    const id = await createCheck()
    await insertResults(api.store, [result(id, start, true)], start + 9 * second)
    await insertResults(api.store, [result(id, start + second, false)], start + 8 * second)
    expect(await listKinds(id)).toBe('fr')
  })

  it('report each change once and end with the actual state, however many servers decide concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, createCheck))
    const doomed = await Promise.all(Array.from({ length: 4 }, createCheck))
    const chance = randomFrom(7)
    const works: (() => Promise<unknown>)[] = []
    for (let n = 0; n < 150; n++) {
      const batch = [...ids, ...doomed]
        .filter(() => chance() < 0.4)
        .map((id) => ({
          ...result(id, start + (n + Math.floor(chance() * 10)) * 300, chance() < 0.5),
          parallel: chance() < 0.2 ? 2 : null,
        }))
      if (batch.length > 0) works.push(() => insertResults(api.store, batch, tick()))
      if (n % 5 === 0) works.push(() => turn(notifyChannels, tick()))
      if (n % 7 === 0) works.push(() => turn(decideDueAlerts, tick()))
      if (n % 11 === 0) works.push(() => turn(decideParallel, tick()))
      const gone = n % 30 === 29 ? doomed[Math.floor(n / 30) % doomed.length] : undefined
      if (gone !== undefined) works.push(() => api.alice.delete(`/v1/checks/${gone}`))
    }
    const left = works.values()
    const failures: unknown[] = []
    const server = async () => {
      for (const work of left) await work().catch((error: unknown) => failures.push(error))
    }
    await Promise.all(Array.from({ length: 4 }, server))
    // The check was deleted during a batch: its agent reports again.
    expect(failures.filter((error) => (error as { code?: string }).code !== '23503')).toEqual([])
    now += 3600 * second
    for (const work of [decideParallel, decideDueAlerts]) while ((await turn(work)) > 0);
    for (const id of ids) {
      const kinds = await listKinds(id)
      expect(kinds).toMatch(/^(fr)*f?$/)
      expect(kinds.endsWith('f')).toBe(await isFailing(id))
    }
  })
})

describe('a check that is deleted while it is decided', () => {
  it('is deleted, whichever transaction wins the deadlock', async () => {
    const id = await createCheck()
    await insertResults(api.store, [result(id, now, false)], tick())
    const { pool } = api.store
    const client = await pool.connect()
    await client.query('begin')
    await lockStatuses(client, [{ accountId: api.alice.accountId, checkId: id }], now)
    const deleted = api.alice.delete(`/v1/checks/${id}`)
    const waiting = `select count(*) as total from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const isWaiting = async () => (await pool.query(waiting)).rows[0].total
    await expect.poll(isWaiting).toBe(1)
    // Needs the check, which the other transaction has locked: a deadlock.
    const decided = client.query(
      `insert into check_alerts (id, account_id, check_id, check_type, alert_type, name, run_location, scheduled_at, started_at,
         facts, created_at)
       values (gen_random_uuid(), $1, $2, 'URL', 'ALERT_FAILURE', 'x', 'eu-west-1', now(), now(), '{}', now())`,
      [api.alice.accountId, id],
    )
    await decided.catch(() => undefined)
    await client.query('rollback')
    client.release()
    expect((await deleted).status).toBe(204)
  })
})

/** A seeded generator. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
