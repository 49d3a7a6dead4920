import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { historyTables, missingFor } from '../storage/core/distribution.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
  await furnish(database.store, dataDir)
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('scale-out on plain PostgreSQL', () => {
  it('--check lists all history as local, with keys that can be distributed, and says what is missing', async () => {
    const { code, json } = await operate('scale-out', '--check', '--json')
    expect(code).toBe(0)
    expect(json.isReady).toBe(false)
    expect(json.missing).toEqual([expect.stringMatching(/not installed on this PostgreSQL/)])
    expect(json.tables.map((table: { table: string }) => table.table)).toEqual([...historyTables])
    for (const table of json.tables) {
      expect(table).toMatchObject({ state: 'local', shards: 0, hasKey: true, references: null })
    }
  })

  it('changes nothing and says why', async () => {
    const { code, stderr } = await operate('scale-out')
    expect(code).toBe(1)
    expect(stderr).toMatch(/Nothing was changed.*not installed on this PostgreSQL/s)
    expect((await operate('scale-out', '--undo')).stdout).toBe('No history is distributed.\n')
  })

  it('refuses wrong options', async () => {
    expect(await operate('scale-out', '--shards', '1')).toMatchObject({ code: 2 })
    expect(await operate('scale-out', '--shards', 'many')).toMatchObject({ code: 2 })
    expect(await operate('scale-out', '--check', '--undo')).toMatchObject({ code: 2 })
  })
})

describe('what a cluster lacks', () => {
  const ready = {
    version: '13.2-1',
    isInstalled: true,
    isCoordinator: true,
    workers: [{ address: 'db-2:5432', isActive: true }],
    walLevel: 'logical',
    maxPreparedTransactions: 100,
    outputPlugins: ['pgoutput', 'citus'],
  }

  it('is nothing if it is set up', () => {
    expect(missingFor(ready)).toEqual([])
    expect(missingFor({ ...ready, outputPlugins: null })).toEqual([])
  })

  it.each([
    [{ version: null }, /create extension/],
    [{ isCoordinator: false }, /coordinator has no address/],
    [{ workers: [] }, /no worker nodes/],
    [{ workers: [{ address: 'db-2:5432', isActive: false }] }, /inactive: db-2:5432/],
    [{ walLevel: 'replica' }, /wal_level is replica/],
    [{ maxPreparedTransactions: 0 }, /max_prepared_transactions is 0/],
    [{ outputPlugins: ['pgoutput'] }, /output_plugin_libraries/],
  ])('is named: %j', (lacking, message) => {
    expect(missingFor({ ...ready, ...lacking })).toEqual([expect.stringMatching(message)])
  })
})
