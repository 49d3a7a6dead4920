import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../storage/accounts/first-account.ts'
import { deleteChecks } from '../storage/checks/checks.ts'
import { planHeartbeats } from '../storage/checks/heartbeat-plan.ts'
import { findPingTarget, shiftHeartbeats } from '../storage/checks/heartbeats.ts'
import { transact } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { touchServer } from '../storage/runs/servers.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { expireHeartbeats, recordPing } from './heartbeat.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 15, 8)
const deadline = start + hour + 10 * minute

let database: TestDatabase
let accountId: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  // The deadline of one test must not expire in another.
  await database.store.pool.query('truncate heartbeats')
  accountId = (await createAccount(database.store.db, 'An account')).id
})

/** Every hour, ten minutes of grace. */
async function createMonitor(options: { groupId?: number; tags?: string[] } = {}) {
  const { db } = database.store
  const [id, pingToken] = [randomUUID(), randomUUID()]
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' }
  await db
    .insertInto('checks')
    .values({
      id,
      account_id: accountId,
      check_type: 'HEARTBEAT',
      name: 'backup',
      activated: true,
      muted: false,
      should_fail: false,
      double_check: false,
      run_parallel: false,
      frequency: 10,
      tags: options.tags ?? [],
      use_global_alert_settings: true,
      group_id: options.groupId ?? null,
      settings: JSON.stringify({ heartbeat }),
      ping_token: pingToken,
    })
    .execute()
  await plan(id)
  return { id, pingToken }
}

type Monitor = Awaited<ReturnType<typeof createMonitor>>

const plan = (id: string) =>
  transact(database.store.db, (tx) => planHeartbeats(tx, accountId, { checkIds: [id] }))

async function ping({ pingToken }: Monitor, at: number): Promise<boolean> {
  const target = await findPingTarget(database.store.pool, pingToken)
  if (target === null) throw new Error('no target')
  return recordPing(
    database.store.pool,
    target,
    { source: 'HTTP GET from curl', userAgent: 'curl/8' },
    { now: at, isAlerting: true },
  )
}

const expire = (now: number) => expireHeartbeats(database.store.pool, { now, isAlerting: true }, 100)

async function statesOf({ id }: Monitor): Promise<[string, number][]> {
  const { rows } = await database.store.pool.query<{ state: string; occurred_at: string }>(
    'select state, occurred_at from heartbeat_events where check_id = $1 order by occurred_at',
    [id],
  )
  return rows.map(({ state, occurred_at }) => [state, Date.parse(occurred_at)])
}

async function deadlineOf({ id }: Monitor): Promise<number | null | undefined> {
  const row = await database.store.db
    .selectFrom('heartbeats')
    .select('deadline_at')
    .where('check_id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : row.deadline_at === null ? null : Date.parse(row.deadline_at)
}

const change = async (
  { id }: Monitor,
  values: { activated?: boolean; settings?: string; updated_at?: Date },
) => {
  await database.store.db.updateTable('checks').set(values).where('id', '=', id).execute()
  await plan(id)
}

describe('a ping', () => {
  it('starts the timer, and each one resets it', async () => {
    const monitor = await createMonitor()
    expect(await deadlineOf(monitor)).toBeNull()
    expect(await ping(monitor, start)).toBe(true)
    expect(await deadlineOf(monitor)).toBe(deadline)
    expect(await ping(monitor, start + minute)).toBe(true)
    expect(await deadlineOf(monitor)).toBe(deadline + minute)
    expect(await statesOf(monitor)).toEqual([
      ['RECEIVED', start],
      ['EARLY', start + minute],
    ])
  })

  it('creates a result and a status with the id and time of its event', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    const { pool } = database.store
    const { rows } = await pool.query(
      `select r.source, r.location, r.result_type, r.has_failures, r.scheduled_at, s.has_failures as status, d.detail
       from heartbeat_events e join results r on r.id = e.id and r.check_id = e.check_id
       join result_details d on d.check_id = r.check_id and d.run_id = r.run_id
       join check_statuses s on s.check_id = e.check_id where e.check_id = $1`,
      [monitor.id],
    )
    expect(rows).toEqual([
      {
        source: 'heartbeat',
        location: '',
        result_type: 'FINAL',
        has_failures: false,
        scheduled_at: new Date(start).toISOString(),
        status: false,
        detail: expect.stringContaining('HTTP GET from curl'),
      },
    ])
  })

  it('is ignored while the monitor or its group is inactive', async () => {
    const { pool, db } = database.store
    const { rows } = await pool.query<{ id: number }>(
      `insert into check_groups (account_id, name, activated, muted, tags, locations, concurrency, double_check, settings)
       values ($1, 'g', true, false, '{}', '{}', 1, false, '{}') returning id`,
      [accountId],
    )
    const groupId = rows[0]?.id as number
    const monitor = await createMonitor({ groupId })
    await ping(monitor, start)
    await db.updateTable('check_groups').set({ activated: false }).where('id', '=', groupId).execute()
    await transact(db, (tx) => planHeartbeats(tx, accountId, { groupId }))
    expect(await deadlineOf(monitor)).toBeUndefined()
    expect(await ping(monitor, start + minute)).toBe(false)
    await change(monitor, { activated: false })
    await db.updateTable('check_groups').set({ activated: true }).where('id', '=', groupId).execute()
    expect(await ping(monitor, start + 2 * minute)).toBe(false)
    await change(monitor, { activated: true })
    expect(await deadlineOf(monitor)).toBeNull()
    expect((await statesOf(monitor)).length).toBe(1)
  })

  it('starts the timer of a monitor that has none yet', async () => {
    const monitor = await createMonitor()
    await database.store.pool.query('delete from heartbeats where check_id = $1', [monitor.id])
    expect(await ping(monitor, start)).toBe(true)
    expect(await deadlineOf(monitor)).toBe(deadline)
  })

  it('is never earlier than the event before it', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    await expire(deadline)
    await ping(monitor, deadline - 500)
    expect(await statesOf(monitor)).toEqual([
      ['RECEIVED', start],
      ['FAILING', deadline],
      ['LATE', deadline + 1],
    ])
  })
})

describe('a deadline that passes', () => {
  it('fails the monitor once with a reason, and restarts the timer', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    expect(await expire(deadline - 1)).toBe(0)
    expect(await expire(deadline + 500)).toBe(1)
    expect(await expire(deadline + 500)).toBe(0)
    expect(await deadlineOf(monitor)).toBe(deadline + 500 + 70 * minute)
    expect(await statesOf(monitor)).toEqual([
      ['RECEIVED', start],
      ['FAILING', deadline],
    ])
    const { rows } = await database.store.pool.query(
      `select r.failure_kind, r.failure_message, s.has_failures from results r join check_statuses s using (check_id)
       where r.check_id = $1 and r.has_failures`,
      [monitor.id],
    )
    expect(rows).toEqual([
      {
        failure_kind: 'missed_ping',
        failure_message: 'No ping came in time: one is expected every 1 hour, with 10 minutes of grace',
        has_failures: true,
      },
    ])
  })

  it('fails again every period until a ping comes, which is late', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    await expire(deadline)
    await expire(deadline + 70 * minute)
    await ping(monitor, deadline + 71 * minute)
    await ping(monitor, deadline + 131 * minute)
    expect((await statesOf(monitor)).map(([state]) => state)).toEqual([
      'RECEIVED',
      'FAILING',
      'FAILING',
      'LATE',
      'RECEIVED',
    ])
  })

  it('is ignored if the monitor was deactivated without a change of its timer', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    await database.store.pool.query('update checks set activated = false where id = $1', [monitor.id])
    expect(await expire(deadline)).toBe(1)
    expect(await deadlineOf(monitor)).toBeNull()
    expect(await statesOf(monitor)).toEqual([['RECEIVED', start]])
  })

  it('is extended by a maintenance window that pauses the monitor', async () => {
    const monitor = await createMonitor({ tags: ['nightly'] })
    const other = await createMonitor({ tags: ['other'] })
    await database.store.pool.query(
      `insert into maintenance_windows (account_id, name, tags, starts_at, ends_at, pause_all_checks, silence_all_alerts,
         silence_alerts_tags) values ($1, 'w', '{nightly}', $2, $3, false, false, '{}')`,
      [accountId, new Date(deadline - 10 * minute), new Date(deadline + 30 * minute)],
    )
    await ping(monitor, start)
    await ping(other, start)
    expect(await expire(deadline)).toBe(2)
    expect(await deadlineOf(monitor)).toBe(deadline + 40 * minute)
    expect(await statesOf(monitor)).toEqual([['RECEIVED', start]])
    expect((await statesOf(other)).at(-1)).toEqual(['FAILING', deadline])
    await expire(deadline + 40 * minute)
    expect((await statesOf(monitor)).at(-1)).toEqual(['FAILING', deadline + 40 * minute])
  })

  it('moves by the time in which no server was alive', async () => {
    const [running, begunAfter, passed] = [
      await createMonitor(),
      await createMonitor(),
      await createMonitor(),
    ]
    const [from, to] = [start + 30 * minute, start + 5 * hour]
    await ping(passed, from - 2 * hour)
    await ping(running, start)
    await ping(begunAfter, to)
    await inTransaction(database.store.pool, (client) => shiftHeartbeats(client, from, to))
    expect(await deadlineOf(running)).toBe(deadline + (to - from))
    expect(await deadlineOf(begunAfter)).toBe(to + 70 * minute)
    expect(await deadlineOf(passed)).toBe(from - 50 * minute)
  })

  it('waits for an outage that is not recorded yet', async () => {
    const { pool } = database.store
    const monitor = await createMonitor()
    await ping(monitor, start)
    const serverId = randomUUID()
    await touchServer(pool, serverId, start + minute)
    try {
      const back = deadline + minute
      expect(await expire(back)).toBe(0)
      await touchServer(pool, serverId, back)
      expect(await expire(back)).toBe(0)
      expect(await deadlineOf(monitor)).toBe(deadline + (back - start - minute))
    } finally {
      await pool.query('delete from servers')
    }
  })

  it('is handled once, by one of several servers or by a concurrent ping', async () => {
    const monitors = await Promise.all(Array.from({ length: 8 }, () => createMonitor()))
    for (const monitor of monitors) await ping(monitor, start)
    const now = deadline + 1
    const { pool } = database.store
    const [first, second] = await Promise.all([
      expireHeartbeats(pool, { now, isAlerting: true }, 5),
      expireHeartbeats(pool, { now, isAlerting: true }, 5),
      ...monitors.slice(0, 4).map((monitor) => ping(monitor, now)),
    ])
    const rest = await expire(now)
    expect((first as number) + (second as number) + rest).toBeLessThanOrEqual(8)
    for (const [index, monitor] of monitors.entries()) {
      const states = (await statesOf(monitor)).map(([state]) => state)
      const isPinged = index < 4
      // In either order: a ping after the deadline is late, and there is at most one failure.
      expect([
        ['RECEIVED', 'FAILING', 'LATE'],
        ['RECEIVED', 'LATE'],
        ['RECEIVED', 'FAILING'],
      ]).toContainEqual(states)
      expect(states.at(-1)).toBe(isPinged ? 'LATE' : 'FAILING')
    }
  })
})

describe('a change of the monitor', () => {
  it('restarts a running timer if the period changes', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    const settings = (period: number) =>
      JSON.stringify({ heartbeat: { period, periodUnit: 'minutes', grace: 0, graceUnit: 'seconds' } })
    const changedAt = start + 50 * minute
    await change(monitor, { settings: settings(5), updated_at: new Date(changedAt) })
    expect(await deadlineOf(monitor)).toBe(changedAt + 5 * minute)
    await change(monitor, { updated_at: new Date(changedAt + minute) })
    expect(await deadlineOf(monitor)).toBe(changedAt + 5 * minute)
  })

  it('deletes timer and events with the monitor', async () => {
    const monitor = await createMonitor()
    await ping(monitor, start)
    await transact(database.store.db, (tx) => deleteChecks(tx, accountId, [monitor.id]))
    expect(await deadlineOf(monitor)).toBeUndefined()
    expect(await statesOf(monitor)).toEqual([])
  })
})
