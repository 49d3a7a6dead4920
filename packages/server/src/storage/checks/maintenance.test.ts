import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createAccount } from '../accounts/first-account.ts'
import type { Client } from '../core/transaction.ts'
import {
  type CheckKey,
  listPausedChecks,
  listPausingWindows,
  listSilencedChecks,
  listSilences,
} from './maintenance.ts'
import { insertMaintenanceWindow } from './maintenance-windows.ts'

const hour = 3_600_000
const day = 24 * hour
const noon = Date.UTC(2026, 5, 10, 12)

let database: TestDatabase
let accountId: string
let otherId: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  accountId = (await createAccount(database.store.db, 'An account')).id
  otherId = (await createAccount(database.store.db, 'Another')).id
})

async function createCheck(
  tags: string[],
  { owner = accountId, groupTags }: { owner?: string; groupTags?: string[] } = {},
): Promise<CheckKey> {
  const { pool } = database.store
  const id = randomUUID()
  const group = await pool.query<{ id: number }>(
    `insert into check_groups (account_id, name, activated, muted, tags, locations, concurrency, double_check, settings)
     select $1, 'group', true, false, $2::text[], '{}', 1, false, '{}' where $2::text[] is not null returning id`,
    [owner, groupTags ?? null],
  )
  await pool.query(
    `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, run_parallel,
       frequency, tags, use_global_alert_settings, settings, group_id)
     values ($1, $2, 'URL', 'url', true, false, false, false, false, 1, $3, true, '{}', $4)`,
    [id, owner, tags, group.rows[0]?.id ?? null],
  )
  return { accountId: owner, checkId: id }
}

/** Open from 11:00 to 13:00 by default; pauses and silences nothing by itself. */
function createWindow(values: Partial<Parameters<typeof insertMaintenanceWindow>[1]>) {
  return insertMaintenanceWindow(database.store.db, {
    account_id: accountId,
    name: 'window',
    tags: [],
    starts_at: new Date(noon - hour),
    ends_at: new Date(noon + hour),
    pause_all_checks: false,
    silence_all_alerts: false,
    silence_alerts_tags: [],
    ...values,
  })
}

const daily = { repeat_interval: 1, repeat_unit: 'DAY' }
const ids = (...checks: CheckKey[]) => new Set(checks.map(({ checkId }) => checkId))
const paused = (checks: CheckKey[], at = noon) => listPausedChecks(database.store.pool, checks, at)
const silenced = (checks: CheckKey[], at = noon) => listSilencedChecks(database.store.pool, checks, at)

/** Runs queries, and keeps them. */
function watched(): { client: Client; queries: pg.QueryConfig[] } {
  const queries: pg.QueryConfig[] = []
  const client = {
    query: (query: pg.QueryConfig) => {
      queries.push(query)
      return database.store.pool.query(query)
    },
  } as Client
  return { client, queries }
}

describe.each([
  ['listPausedChecks', paused, silenced, { pause_all_checks: true }, (tags: string[]) => ({ tags })],
  [
    'listSilencedChecks',
    silenced,
    paused,
    { silence_all_alerts: true },
    (tags: string[]) => ({ silence_alerts_tags: tags }),
  ],
] as const)('%s', (_, asked, opposite, all, tagged) => {
  it('are all checks of the account, and nothing of the opposite scope', async () => {
    const checks = [await createCheck([]), await createCheck(['shop'])]
    await createWindow(all)
    expect(await asked(checks)).toEqual(ids(...checks))
    expect(await opposite(checks)).toEqual(new Set())
  })

  it('are those with one of the tags, their own or their group’s', async () => {
    const own = await createCheck(['x', 'shop'])
    const groups = await createCheck(['x'], { groupTags: ['y', 'web'] })
    const none = await createCheck(['x'], { groupTags: ['y'] })
    await createWindow(tagged(['shop', 'web']))
    expect(await asked([own, groups, none])).toEqual(ids(own, groups))
    expect(await opposite([own, groups, none])).toEqual(new Set())
  })

  it('are none for a window without tags, and only requested checks', async () => {
    const [tagless, unasked] = [await createCheck([]), await createCheck(['shop'])]
    await createWindow({})
    await createWindow(tagged(['shop']))
    expect(await asked([tagless])).toEqual(new Set())
    expect(await asked([])).toEqual(new Set())
    expect(await asked([tagless, unasked])).toEqual(ids(unasked))
  })

  it('are only those whose window is open at the instant', async () => {
    const check = await createCheck([])
    await createWindow(all)
    expect(await asked([check], noon - hour - 1)).toEqual(new Set())
    expect(await asked([check], noon - hour)).toEqual(ids(check))
    expect(await asked([check], noon + hour - 1)).toEqual(ids(check))
    expect(await asked([check], noon + hour)).toEqual(new Set())
  })

  it('repeat by the clocks of the zone, to the end of the repeats', async () => {
    const check = await createCheck(['shop'])
    // 23:00 in Berlin, in summer and in winter.
    await createWindow({
      ...tagged(['shop']),
      ...daily,
      starts_at: new Date('2026-06-01T21:00:00Z'),
      ends_at: new Date('2026-06-01T22:00:00Z'),
      repeat_ends_at: new Date('2026-12-01T22:00:00Z'),
      timezone: 'Europe/Berlin',
    })
    const at = (instant: string) => asked([check], Date.parse(instant))
    expect(await at('2026-07-01T21:30:00Z')).toEqual(ids(check))
    expect(await at('2026-11-15T21:30:00Z')).toEqual(new Set())
    expect(await at('2026-11-15T22:30:00Z')).toEqual(ids(check))
    expect(await at('2026-11-30T22:30:00Z')).toEqual(ids(check))
    expect(await at('2026-12-01T22:30:00Z')).toEqual(new Set())
  })

  it('last beyond the end of the repeats, if the last one does', async () => {
    const check = await createCheck([])
    await createWindow({
      ...all,
      ...daily,
      ends_at: new Date(noon + 2 * day),
      repeat_ends_at: new Date(noon + 3 * day),
    })
    expect(await asked([check], noon + 4 * day)).toEqual(ids(check))
    expect(await asked([check], noon + 5 * day)).toEqual(new Set())
  })

  it('are never paused or silenced by another account', async () => {
    const [mine, theirs] = [await createCheck(['shop']), await createCheck(['shop'], { owner: otherId })]
    await createWindow({ ...all, account_id: otherId })
    await createWindow({ ...tagged(['shop']), account_id: otherId })
    expect(await asked([mine, theirs])).toEqual(ids(theirs))
    // Nor is a check of theirs found under our account.
    await createWindow(tagged(['shop']))
    expect(await asked([{ ...theirs, accountId }])).toEqual(new Set())
  })
})

describe('the queries', () => {
  it('are one for an account without windows or with one for all, and two for tags', async () => {
    const check = await createCheck(['shop'])
    const countFor = async () => {
      const { client, queries } = watched()
      await listSilencedChecks(client, [check], noon)
      return queries.length
    }
    expect(await countFor()).toBe(1)
    await createWindow({ silence_alerts_tags: ['shop'] })
    expect(await countFor()).toBe(2)
    await createWindow({ silence_all_alerts: true })
    expect(await countFor()).toBe(1)
  })
})

describe('listPausingWindows', () => {
  it('gives each check the windows that may pause it in that time, once', async () => {
    const [shop, both, none] = [
      await createCheck(['shop']),
      await createCheck(['shop', 'web']),
      await createCheck([]),
    ]
    await createWindow({ tags: ['shop', 'web'], timezone: 'Asia/Kolkata' })
    await createWindow({ tags: ['web'], ...daily })
    await createWindow({
      tags: ['shop'],
      starts_at: new Date(noon - 9 * hour),
      ends_at: new Date(noon - 8 * hour),
    })
    await createWindow({ silence_all_alerts: true })
    const windows = await listPausingWindows(database.store.pool, [shop, both, none], noon - 2 * hour, noon)
    expect(windows.get(shop.checkId)?.map(({ timezone }) => timezone)).toEqual(['Asia/Kolkata'])
    expect(windows.get(both.checkId)?.map(({ repeatUnit }) => repeatUnit)).toEqual([null, 'DAY'])
    expect([...windows.keys()].toSorted()).toEqual([shop.checkId, both.checkId].toSorted())
  })
})

describe('listSilences', () => {
  const between = (checks: CheckKey[], from: number, to: number) =>
    listSilences(database.store.pool, checks, from, to)

  it('are joined over windows, and cut to the time that was asked for', async () => {
    const [shop, web, none] = [
      await createCheck(['shop']),
      await createCheck(['web', 'shop']),
      await createCheck([]),
    ]
    await createWindow({ silence_alerts_tags: ['shop'], ...daily })
    await createWindow({
      silence_alerts_tags: ['web'],
      starts_at: new Date(noon),
      ends_at: new Date(noon + 5 * hour),
    })
    await createWindow({ pause_all_checks: true, tags: ['web'] })
    const [from, to] = [noon - hour / 2, noon + 2 * day]
    const silences = await between([shop, web, none], from, to)
    const tomorrow = { start: noon + day - hour, end: noon + day + hour }
    const after = { start: noon + 2 * day - hour, end: to }
    expect(silences).toEqual(
      new Map([
        [shop.checkId, [{ start: from, end: noon + hour }, tomorrow, after]],
        [web.checkId, [{ start: from, end: noon + 5 * hour }, tomorrow, after]],
      ]),
    )
  })

  it('are silent exactly when listSilencedChecks returns them', async () => {
    const checks = [
      await createCheck(['shop']),
      await createCheck(['web'], { groupTags: ['shop'] }),
      await createCheck([]),
    ]
    await createWindow({ silence_alerts_tags: ['shop'], ...daily, timezone: 'America/New_York' })
    await createWindow({
      silence_alerts_tags: ['web'],
      ...daily,
      repeat_interval: 2,
      ends_at: new Date(noon + 5 * hour),
    })
    await createWindow({
      silence_all_alerts: true,
      starts_at: new Date(noon + day),
      ends_at: new Date(noon + day + hour),
    })
    const silences = await between(checks, noon - day, noon + 4 * day)
    for (let at = noon - day; at < noon + 4 * day; at += hour / 2) {
      const expected = checks.filter(({ checkId }) =>
        silences.get(checkId)?.some(({ start, end }) => start <= at && at < end),
      )
      expect(await silenced(checks, at), new Date(at).toISOString()).toEqual(ids(...expected))
    }
  })

  it('never come from another account', async () => {
    const check = await createCheck(['shop'])
    await createWindow({ account_id: otherId, silence_all_alerts: true, silence_alerts_tags: ['shop'] })
    expect(await between([check], noon - day, noon + day)).toEqual(new Map())
  })
})

describe('a thousand windows and ten thousand checks', () => {
  async function createThem(): Promise<CheckKey[]> {
    const { pool } = database.store
    await pool.query(
      `insert into maintenance_windows (account_id, name, tags, starts_at, ends_at, pause_all_checks,
         silence_all_alerts, silence_alerts_tags, repeat_interval, repeat_unit, timezone)
       select $1, 'w', array['t' || n], $2::timestamptz + n * interval '1 minute', $3::timestamptz + n * interval '1 minute',
         false, false, array['t' || n, 'u' || n % 7], 1, 'DAY', 'Europe/Berlin' from generate_series(1, 1000) n`,
      [accountId, new Date(noon - 50 * day), new Date(noon - 50 * day + hour)],
    )
    const { rows } = await pool.query<{ id: string }>(
      `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, run_parallel,
         frequency, tags, use_global_alert_settings, settings)
       select gen_random_uuid(), $1, 'URL', 'url', true, false, false, false, false, 1,
         array['x' || n, 't' || n % 2000, 'u' || n], true, '{}' from generate_series(1, 10000) n returning id`,
      [accountId],
    )
    await pool.query('analyze maintenance_windows, checks')
    return rows.map(({ id }) => ({ accountId, checkId: id }))
  }

  it('take little time', async () => {
    const checks = await createThem()
    const before = performance.now()
    const now = await silenced(checks, noon + 3 * hour)
    const times = await listSilences(database.store.pool, checks, noon - 7 * day, noon)
    const tookMs = performance.now() - before
    // Windows 121 to 180 are open then, each for five checks; and among them are some for u1 to u6, a check each.
    expect(now.size).toBe(60 * 5 + 6)
    expect(times.size).toBe(1000 * 5)
    expect(tookMs).toBeLessThan(8000)
  })

  it('are found by account, and by account and id', async () => {
    const { pool } = database.store
    await createThem()
    accountId = (await createAccount(database.store.db, 'A small one')).id
    const checks = [await createCheck(['shop']), await createCheck(['shop'])]
    await createWindow({ silence_alerts_tags: ['shop'] })
    const { client, queries } = watched()
    expect(await listSilencedChecks(client, checks, noon)).toEqual(ids(...checks))
    const plans = queries.map(async ({ text, values }) => {
      const { rows } = await pool.query(`explain ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(await plans[0]).toMatch(/using maintenance_windows_account_id_id_key\b/)
    expect(await plans[1]).toMatch(/using checks_(pkey|account_id_id_key)\b/)
  })
})
