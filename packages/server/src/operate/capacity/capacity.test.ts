import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { databaseUrl, furnish, newDataDir, operate as run } from '../../testing/operator.ts'

let database: TestDatabase
const dataDir = newDataDir()
const withoutStore = (...argv: string[]) => run({ DATA_DIR: dataDir }, 'capacity', ...argv)
const withStore = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, 'capacity', ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

/** Two URL monitors, one of them in two locations at the same time, and a heartbeat monitor. */
async function addChecks(): Promise<void> {
  const { accountId } = await furnish(database.store, dataDir)
  const { pool } = database.store
  const add = async (type: string) => {
    const id = randomUUID()
    await pool.query(
      `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, tags, frequency,
         run_parallel, use_global_alert_settings, settings)
       values ($1, $2, $3, 'A', true, false, false, false, '{}', 1, false, true, '{}')`,
      [id, accountId, type],
    )
    return id
  }
  const plan = (checkId: string, lane: string) =>
    pool.query(
      `insert into schedule (account_id, check_id, lane, locations, queues, period_ms, phase_ms, slot_at, location, queue, due_at)
       values ($1, $2, $3, '{eu-west-1}', '{eu-west-1}', 60000, 0, now(), 'eu-west-1', 'eu-west-1', now())`,
      [accountId, checkId, lane],
    )
  await plan(await add('URL'), 'all')
  const parallel = await add('URL')
  await plan(parallel, 'eu-west-1')
  await plan(parallel, 'us-east-1')
  await pool.query(
    `insert into heartbeats (account_id, check_id, period_ms, grace_ms, deadline_at) values ($1, $2, 300000, 0, now())`,
    [accountId, await add('HEARTBEAT')],
  )
}

describe('vedette capacity', () => {
  it('computes a mix without a store', async () => {
    const mix = ['--url', '5000,100:10s:3', '--browser', '200', '--heartbeat', '10:1h']
    const { code, json } = await withoutStore(...mix, '--json')
    expect(code).toBe(0)
    expect(json.mix).toEqual([
      { type: 'BROWSER', checks: 200, periodMs: 600_000, locations: 1 },
      { type: 'HEARTBEAT', checks: 10, periodMs: 3_600_000, locations: 1 },
      { type: 'URL', checks: 5000, periodMs: 60_000, locations: 1 },
      { type: 'URL', checks: 100, periodMs: 10_000, locations: 3 },
    ])
    expect(json.runsPerMinute).toBeCloseTo(20 + 10 / 60 + 5000 + 1800)
    expect(json).toMatchObject({
      checks: 5310,
      settings: { resultDays: 30, detailDays: 7, rollupMonths: 25, databaseCores: 8 },
      servers: { count: expect.any(Number), cores: expect.any(Number), memoryMb: expect.any(Number) },
      database: { verdict: 'fits' },
      limits: expect.arrayContaining([
        { part: 'PostgreSQL, CPU of the primary', headroom: expect.any(Number), remedy: expect.any(String) },
      ]),
    })
  })

  it('prints what is needed and what saturates first', async () => {
    const { stdout } = await withoutStore('--url', '100000', '--playwright', '10:1h', '--servers', '1')
    expect(stdout).toContain('100,000 URL every 1 min')
    expect(stdout).toContain('10 PLAYWRIGHT every 1 h (not measured; figures of BROWSER)')
    for (const text of ['PART', 'servers', 'agents', 'PostgreSQL', 'Disk', 'WAL', 'Network', 'SATURATES'])
      expect(stdout).toContain(text)
    expect(stdout).toMatch(/TOO SMALL: servers, one event loop each|First to saturate: /)
  })

  it('uses retention and sizes of options', async () => {
    const small = (await withoutStore('--url', '1000', '--result-days', '3', '--json')).json
    const large = (await withoutStore('--url', '1000', '--json')).json
    expect(large.disk.parts.resultsGb).toBeCloseTo(small.disk.parts.resultsGb * 10)
    const { json } = await withoutStore('--url', '1000', '--servers', '7', '--agents', '9', '--json')
    expect([json.servers.count, json.agents.count]).toEqual([7, 9])
  })

  it('uses the checks of the installation when none are named', async () => {
    expect(await withStore()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No check of this installation is active'),
    })
    await addChecks()
    const { json } = await withStore('--json')
    expect(json.mix).toEqual([
      { type: 'HEARTBEAT', checks: 1, periodMs: 300_000, locations: 1 },
      { type: 'URL', checks: 2, periodMs: 60_000, locations: 1.5 },
    ])
    expect(json.runsPerMinute).toBeCloseTo(3.2)
  })

  it.each([
    [[], 2, 'There is no installation here'],
    [['--url', 'many'], 2, '--url: the count must be a whole number'],
    [['--url', '0'], 2, '--url: the count must be a whole number'],
    [['--url', '5:fast'], 2, '--url: the period must be from 10s to 365d'],
    [['--url', '5:1s'], 2, '--url: the period must be from 10s to 365d'],
    [['--url', '5:1m:0'], 2, '--url: the locations must be 1 to 100'],
    [['--url', '5:1m:2:9'], 2, '--url: three parts are allowed'],
    [['--url', '5', '--servers', '0'], 2, '--servers must be a whole number from 1 to 10000, not "0"'],
    [['--ftp', '5'], 2, "Unknown option '--ftp'"],
  ])('refuses %j', async (argv, code, message) => {
    const result = await withoutStore(...argv)
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)])
  })
})
