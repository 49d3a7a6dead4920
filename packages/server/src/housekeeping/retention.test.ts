import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../storage/accounts/first-account.ts'
import { ensureDays, ensureMonths } from '../storage/core/partitions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { deleteOldRows, withRetentionLock } from '../storage/results/retention.ts'
import { touchAgents } from '../storage/runs/agents.ts'
import { insertAlert, insertNotification } from '../testing/alerts.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { insertTestCheck } from '../testing/targets.ts'
import { diskReserve } from './disk-reserve.ts'
import { enforceRetention } from './retention.ts'

const now = Date.parse('2026-11-15T08:00:00.000Z')
const day = 86_400_000
const limits = { RESULT_RETENTION_DAYS: 30, DETAIL_RETENTION_DAYS: 7, ROLLUP_RETENTION_MONTHS: 25 }
const silent = pino({ level: 'silent' })
let database: TestDatabase
const pool = () => database.store.pool
const checkId = randomUUID()
const accountId = randomUUID()

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const kept = {
  check_sessions: 1,
  test_sessions: 1,
  missed_runs: 1,
  parallel_runs: 1,
  heartbeat_events: 1,
  private_location_metrics: 1,
}

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await pool().query<{ name: string }>(
    'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

async function insertDetail(at: number, bytes: number, table = 'result_details'): Promise<void> {
  // Random, because PostgreSQL compresses repeated values.
  await pool().query(
    `insert into ${table} (account_id, check_id, scheduled_at, run_id, attempt, detail)
     select $1, $2, $3, gen_random_uuid(), 1, (select string_agg(gen_random_uuid()::text, '') from generate_series(1, $4::int / 36 + 1))`,
    [accountId, checkId, new Date(at), bytes],
  )
}

describe('enforceRetention', () => {
  it('drops expired partitions, creates those ahead, and keeps the rollups', async () => {
    await inTransaction(pool(), async (client) => {
      await ensureDays(client, [now - 40 * day, now - 31 * day, now - 30 * day, now - 8 * day, now - 7 * day])
      await ensureMonths(client, [now - 31 * day, Date.UTC(2024, 9), Date.UTC(2024, 8)])
    })
    await pool().query(
      `insert into rollups (account_id, check_id, grain, bucket_at, location, dimension, outcome, runs, degraded, retries, sketches)
       values ($1, $2, 'day', $3, 'eu-west-1', '', 'passed', 7, 0, 0, '{}')`,
      [accountId, checkId, new Date(now - 31 * day)],
    )
    await enforceRetention(pool(), limits, now, silent)
    expect(await partitionsOf('results')).toEqual([
      'results_20261016',
      'results_20261107',
      'results_20261108',
      'results_20261115',
      'results_20261116',
      'results_20261117',
    ])
    expect(await partitionsOf('result_details')).toEqual([
      'result_details_20261108',
      'result_details_20261115',
      'result_details_20261116',
      'result_details_20261117',
    ])
    expect(await partitionsOf('unsampled_details')).toEqual([
      'unsampled_details_20261115',
      'unsampled_details_20261116',
      'unsampled_details_20261117',
    ])
    for (const table of ['rollups', 'coverage']) {
      expect(await partitionsOf(table)).toEqual([`${table}_202410`, `${table}_202610`, `${table}_202611`])
    }
    const { rows } = await pool().query('select runs from rollups where check_id = $1', [checkId])
    expect(rows).toEqual([{ runs: 7 }])
  })

  it('keeps results that are not rolled up yet', async () => {
    const old = now - 33 * day
    await inTransaction(pool(), (client) => ensureDays(client, [old]))
    await pool().query('insert into rollup_pending (account_id, check_id, hour) values ($1, $2, $3)', [
      accountId,
      checkId,
      new Date(old),
    ])
    await enforceRetention(pool(), limits, now, silent)
    expect(await partitionsOf('results')).toContain('results_20261013')
    await pool().query('delete from rollup_pending')
    await enforceRetention(pool(), limits, now, silent)
    expect(await partitionsOf('results')).not.toContain('results_20261013')
  })

  it('does not wait for a long query, and drops the partition later', async () => {
    await inTransaction(pool(), (client) => ensureDays(client, [now - 40 * day]))
    const reader = await pool().connect()
    try {
      await reader.query('begin')
      await reader.query('select count(*) from results')
      await enforceRetention(pool(), limits, now, silent)
      expect(await partitionsOf('results')).toContain('results_20261006')
      // No other query waits behind it anymore.
      await pool().query({ text: 'select count(*) from results' })
      await reader.query('commit')
    } finally {
      reader.release()
    }
    await enforceRetention(pool(), limits, now, silent)
    expect(await partitionsOf('results')).not.toContain('results_20261006')
  })

  it('does nothing while another server does it', async () => {
    await inTransaction(pool(), (client) => ensureDays(client, [now - 40 * day]))
    await withRetentionLock(pool(), async () => {
      await enforceRetention(pool(), limits, now, silent)
      expect(await partitionsOf('results')).toContain('results_20261006')
    })
    await enforceRetention(pool(), limits, now, silent)
    expect(await partitionsOf('results')).not.toContain('results_20261006')
  })

  it('deletes old rows in batches, and only those', async () => {
    await pool().query(
      "insert into outages select $1::timestamptz + n * interval '1 minute', $1::timestamptz + n * interval '1 minute' from generate_series(1, 25) n",
      [new Date(now - 800 * day)],
    )
    await pool().query('insert into outages values ($1, $1)', [new Date(now - day)])
    expect(await deleteOldRows(pool(), 'outages', now - 780 * day, 10)).toBe(25)
    expect((await pool().query('select count(*) as total from outages')).rows).toEqual([{ total: 1 }])
  })

  it('deletes data of old runs, and nothing of newer ones', async () => {
    const { id } = await createAccount(database.store.db, 'An account')
    const check = randomUUID()
    const location = randomUUID()
    await pool().query(
      `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, tags, frequency,
         run_parallel, use_global_alert_settings, settings)
       values ($1, $2, 'URL', 'One', true, false, false, false, '{}', 1, false, true, '{}')`,
      [check, id],
    )
    await pool().query(
      "insert into private_locations (id, account_id, name, slug_name, icon) values ($1, $2, 'A', 'a', 'location')",
      [location, id],
    )
    const insert = async (sql: string, of: string, kept: number, old: number) => {
      for (const at of [kept, old])
        await pool().query(sql, [of, new Date(at), id].slice(0, sql.includes('$3') ? 3 : 2))
    }
    await insert(
      `insert into check_sessions (id, account_id, check_id, check_type, name, status, run_locations, options, expected, started_at)
       values (gen_random_uuid(), $3, $1, 'URL', 'One', 'PASSED', '{}', '{}', 1, $2)`,
      check,
      now - 29 * day,
      now - 31 * day,
    )
    await insert(
      `insert into test_sessions (id, account_id, name, status, provider, location, metadata, options, expected, started_at)
       values (gen_random_uuid(), $1, 'T', 'PASSED', 'API', 'eu-west-1', '{}', '{}', 1, $2)`,
      id,
      now - 29 * day,
      now - 31 * day,
    )
    await insert(
      `insert into missed_runs (account_id, check_id, scheduled_at, run_id, location, reason)
       values ($3, $1, $2, gen_random_uuid(), 'eu-west-1', 'agent')`,
      check,
      now - 29 * day,
      now - 31 * day,
    )
    await insert(
      `insert into parallel_runs (account_id, check_id, scheduled_at, session_id, expected, done, failed, degraded, errors)
       values ($3, $1, $2, gen_random_uuid(), 2, 1, 0, 0, 0)`,
      check,
      now - day / 2,
      now - 2 * day,
    )
    await insert(
      `insert into heartbeat_events (id, account_id, check_id, state, occurred_at)
       values (gen_random_uuid(), $3, $1, 'RECEIVED', $2)`,
      check,
      now - 700 * day,
      now - 800 * day,
    )
    await insert(
      'insert into private_location_metrics (private_location_id, measured_at, queue_size, oldest_ms) values ($1, $2, 0, 0)',
      location,
      now - 14 * day,
      now - 16 * day,
    )
    await enforceRetention(pool(), limits, now, silent)
    const left: Record<string, number> = {}
    for (const table of Object.keys(kept)) {
      const { rows } = await pool().query<{ total: number }>(`select count(*) as total from ${table}`)
      left[table] = rows[0]?.total ?? -1
    }
    expect(left).toEqual(kept)
  })

  it('deletes old alerts and notifications, but none that is pending', async () => {
    const { db } = database.store
    const { id: account_id } = await createAccount(db, 'An account')
    const check_id = await insertTestCheck(db, account_id)
    const of = { account_id, check_id }
    const [kept, old] = [Date.UTC(2024, 9, 1), Date.UTC(2024, 9, 1) - 1]
    await insertAlert(db, { ...of, at: old })
    const open = await insertAlert(db, { ...of, at: old })
    const young = await insertAlert(db, { ...of, at: kept })
    await pool().query(
      `insert into alert_states (check_id, account_id, state, previous_state, raw_state, runs, episode_at, decided, is_told,
         alert_id, lead)
       values ($1, $2, 'failing', 'failing', 'failing', 9, $3, 'failure', true, $4, '{}')`,
      [check_id, account_id, new Date(old), open],
    )
    const notification = { ...of, alert_channel_id: 1 }
    await insertNotification(db, { ...notification, at: old, episode_at: new Date(old - day) })
    const ofOpen = await insertNotification(db, { ...notification, at: old, episode_at: new Date(old) })
    const waiting = await insertNotification(db, { ...notification, at: old, due_at: new Date(now) })
    const sent = await insertNotification(db, { ...notification, at: kept })
    const insertMail = async (at: number, due_at: number | null) => {
      const { rows } = await pool().query<{ id: string }>(
        `insert into mails (id, account_id, kind, recipient, facts, status, due_at, created_at)
         values (gen_random_uuid(), $1, 'location_alarm', 'a@example.com', '{}', 'SUCCESS', $3, $2) returning id`,
        [account_id, new Date(at), due_at === null ? null : new Date(due_at)],
      )
      return rows[0]?.id
    }
    await insertMail(now - 30 * day - 1, null)
    const mails = [await insertMail(now - 30 * day - 1, now), await insertMail(now - 30 * day, null)]
    const insertAlarm = async (queue: string, resolved: number | null) => {
      const { rows } = await pool().query<{ id: string }>(
        `insert into location_alarms (id, account_id, queue, location, kind, check_count, facts, opened_at, resolved_at)
         values (gen_random_uuid(), $1, $2, $2, 'no_agent', 1, '{}', $3, $4) returning id`,
        [account_id, queue, new Date(old), resolved === null ? null : new Date(resolved)],
      )
      return rows[0]?.id
    }
    await insertAlarm('eu-west-1', now - 90 * day - 1)
    const alarms = [await insertAlarm('eu-west-1', now - 90 * day), await insertAlarm('eu-west-1', null)]
    await enforceRetention(pool(), limits, now, silent)
    const left = async (table: string) => {
      const query = `select id from ${table} where account_id = $1`
      const { rows } = await pool().query<{ id: string }>(query, [account_id])
      return rows.map(({ id }) => id).sort()
    }
    expect(await left('check_alerts')).toEqual([open, young].sort())
    expect(await left('alert_notifications')).toEqual([waiting, ofOpen, sent].sort())
    expect(await left('mails')).toEqual(mails.sort())
    expect(await left('location_alarms')).toEqual(alarms.sort())
  })

  it('deletes analyses with their results, but none that is pending', async () => {
    const { id: account } = await createAccount(database.store.db, 'An account')
    const checkId = await insertTestCheck(database.store.db, account)
    const group = randomUUID()
    await pool().query(
      `insert into error_groups (id, account_id, check_id, error_hash, cleaned_error_message, first_seen, last_seen)
       values ($1, $2, $3, 'a', 'refused', $4, $4)`,
      [group, account, checkId, new Date(now)],
    )
    const insert = async (at: number, dueAt: number | null) => {
      const { rows } = await pool().query<{ id: string }>(
        `insert into root_cause_analyses (id, account_id, error_group_id, status, is_automatic, user_context, due_at, created_at)
         values (gen_random_uuid(), $1, $2, 'PENDING', false, '', $4, $3) returning id`,
        [account, group, new Date(at), dueAt === null ? null : new Date(dueAt)],
      )
      return rows[0]?.id
    }
    await insert(now - 30 * day - 1, null)
    const kept = [await insert(now - 30 * day - 1, now), await insert(now - 30 * day, null)]
    await enforceRetention(pool(), limits, now, silent)
    const { rows } = await pool().query<{ id: string }>('select id from root_cause_analyses')
    expect(rows.map(({ id }) => id).sort()).toEqual(kept.sort())
  })

  it('deletes agents after a day, but keeps when a private location was last served', async () => {
    const account = await createAccount(database.store.db, 'An account')
    const locationId = randomUUID()
    await pool().query(
      "insert into private_locations (id, account_id, name, slug_name, icon) values ($1, $2, 'Office', 'office', 'location')",
      [locationId, account.id],
    )
    const agent = { agentKeyId: null, locations: [], version: '1.0.0', state: 'running' as const, facts: {} }
    const [older, newest, builtIn, live] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const ofLocation = { ...agent, accountId: account.id, privateLocationId: locationId, startedAtMs: 0 }
    const ofServer = { ...agent, accountId: null, privateLocationId: null, startedAtMs: 0 }
    await touchAgents(pool(), [{ ...ofLocation, id: older }], now - 3 * day)
    await touchAgents(pool(), [{ ...ofLocation, id: newest }], now - 2 * day)
    await touchAgents(pool(), [{ ...ofServer, id: builtIn }], now - 2 * day)
    await touchAgents(pool(), [{ ...ofServer, id: live }], now)
    await enforceRetention(pool(), limits, now, silent)
    const { rows } = await pool().query<{ id: string }>('select id from agents')
    expect(rows.map(({ id }) => id).sort()).toEqual([newest, live].sort())
  })
})

describe('diskReserve', () => {
  const lines: { level: number; msg: string; partition?: string }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const detailBytes = async (table = 'result_details') => {
    const { rows } = await pool().query<{ bytes: number }>(
      'select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = $1::regclass',
      [table],
    )
    return Number(rows[0]?.bytes ?? 0)
  }

  it("drops the oldest files before any detail, if they are on this disk, and today's last", async () => {
    const days = [now - 3 * day, now - 2 * day, now]
    await inTransaction(pool(), (client) => ensureDays(client, days))
    for (const [index, at] of days.entries()) {
      await pool().query(
        `insert into artifacts (account_id, id, scheduled_at, check_id, result_id, type, name, content_type, size_bytes, sha256)
         values ($1, $2, $3, $4, $5, 'video', 'a.webm', 'video/webm', 5000000, $6)`,
        [accountId, randomUUID(), new Date(at), checkId, randomUUID(), String(index).repeat(64)],
      )
    }
    let freeBytes = 0
    const releaseFiles = async () => {
      freeBytes += 5_000_000
    }
    const options = { pool: pool(), reservePercent: 50, log: silent }
    const readSpace = async () => ({ freeBytes, sizeBytes: 10_000_000 })
    const named = async () => {
      const { rows } = await pool().query<{ sha256: string }>('select sha256 from artifacts order by sha256')
      return rows.map(({ sha256 }) => sha256[0])
    }
    await diskReserve({ ...options, readSpace, releaseFiles }).enforce(now)
    expect(await named()).toEqual(['1', '2'])
    // Files on another disk free no space here.
    freeBytes = 0
    await diskReserve({ ...options, readSpace }).enforce(now)
    expect(await named()).toEqual(['1', '2'])
    await diskReserve({
      ...options,
      readSpace: async () => ({ freeBytes: 0, sizeBytes: 1 }),
      releaseFiles,
    }).enforce(now)
    expect(await named()).toEqual([])
    expect(await partitionsOf('artifacts')).toContain('artifacts_20261115')
  })

  it('drops the oldest details until there is enough space, and logs each change once', async () => {
    await inTransaction(pool(), (client) =>
      ensureDays(client, [now - 3 * day, now - 2 * day, now - day, now]),
    )
    for (const at of [now - 3 * day, now - 2 * day, now - day, now]) await insertDetail(at, 2_000_000)
    const full = await detailBytes()
    const sizeBytes = full + 100_000
    let elsewhere = 0
    const readSpace = async () => ({ freeBytes: sizeBytes - elsewhere - (await detailBytes()), sizeBytes })
    const reserve = diskReserve({ pool: pool(), reservePercent: 40, readSpace, log })
    await reserve.enforce(now)
    const left = await partitionsOf('result_details')
    expect(left).not.toContain('result_details_20261112')
    expect(left).not.toContain('result_details_20261113')
    expect(left).toContain('result_details_20261114')
    await reserve.enforce(now)
    expect(await partitionsOf('result_details')).toContain('result_details_20261114')
    expect(lines.map(({ msg }) => msg)).toEqual([
      'disk.low: old details are being dropped',
      'disk.dropped',
      'disk.dropped',
      'disk.recovered',
    ])
    expect(lines[0]?.level).toBe(50)

    // Another program fills the disk: today's details are dropped too, today's results never, and the exhaustion is logged.
    lines.length = 0
    elsewhere = sizeBytes
    await reserve.enforce(now)
    await reserve.enforce(now)
    expect(await partitionsOf('result_details')).toContain('result_details_20261115')
    expect(await partitionsOf('results')).toContain('results_20261115')
    expect((await pool().query('select count(*) as total from result_details')).rows).toEqual([{ total: 0 }])
    expect(lines.filter(({ msg }) => msg.includes('no partition is left'))).toHaveLength(1)
  })

  it('drops details of passing runs that are not in the sample before all others', async () => {
    const unsampled = 'unsampled_details'
    await inTransaction(pool(), (client) => ensureDays(client, [now - 2 * day, now]))
    await insertDetail(now - 2 * day, 2_000_000)
    await insertDetail(now, 2_000_000, unsampled)
    const full = await detailBytes(unsampled)
    const readSpace = async () => ({ freeBytes: full - (await detailBytes(unsampled)), sizeBytes: full })
    await diskReserve({ pool: pool(), reservePercent: 50, readSpace, log: silent }).enforce(now)
    const count = async (table: string) =>
      (await pool().query<{ total: number }>(`select count(*) as total from ${table}`)).rows[0]?.total
    expect([await count(unsampled), await count('result_details')]).toEqual([0, 1])
  })

  it('keeps ballast while there is space, and drops it before PostgreSQL runs out of space', async () => {
    const acts: string[] = []
    const ballast = {
      bytes: 100,
      take: async () => void acts.push('take'),
      drop: async () => acts.push('drop') > 0,
    }
    let freeBytes = 0
    const readSpace = async () => ({ freeBytes, sizeBytes: 1_000 })
    const reserve = diskReserve({ pool: pool(), reservePercent: 5, readSpace, ballast, log })
    for (freeBytes of [151, 149, 50, 49]) {
      acts.length = 0
      await reserve.enforce(now)
      const expected = { 151: ['take'], 149: [], 50: [], 49: ['drop'] }[freeBytes]
      expect([...new Set(acts)], `${freeBytes} bytes free`).toEqual(expected)
    }
  })
})
