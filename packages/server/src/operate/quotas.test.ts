import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, type Furnished, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
let first: Furnished
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, 'quotas', ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
  first = await furnish(database.store, dataDir)
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('vedette quotas', () => {
  it('sets, lists and removes limits of one account and of all others', async () => {
    expect((await operate('list')).stdout).toBe('No account has a limit.\n')
    await operate('set', '--runs-per-minute', '600', '--artifact-mb', '2000')
    await operate('set', '--runs-per-minute', '500')
    const { json } = await operate(
      'set',
      '--account',
      first.accountId,
      '--code-seconds-per-hour',
      '90',
      '--json',
    )
    expect(json).toEqual({
      accountId: first.accountId,
      runsPerMinute: null,
      codeSecondsPerHour: 90,
      artifactBytes: null,
    })
    const rows = (await operate('list')).stdout.split('\n').map((line) => line.split(/\s{2,}/))
    expect(rows).toMatchObject([
      ['ACCOUNT', 'NAME', 'RUNS PER MINUTE', 'CODE SECONDS PER HOUR', 'ARTIFACT MB'],
      ['all others', '-', '500', '-', '-'],
      [first.accountId, expect.any(String), '-', '90', '-'],
      [''],
    ])
    expect((await operate('remove', '--account', first.accountId)).code).toBe(0)
    expect((await operate('remove')).code).toBe(0)
    expect((await operate('list', '--json')).json).toEqual([])
  })

  it.each([
    [['set'], 2, 'Name a limit: --runs-per-minute'],
    [['set', '--runs-per-minute', 'many'], 2, '--runs-per-minute must be a whole number'],
    [['set', '--artifact-mb', '-5'], 2, 'artifact-mb'],
    [['set', '--account', 'me', '--artifact-mb', '5'], 1, `"me" isn't the id of an account`],
    [
      ['set', '--account', '00000000-0000-4000-8000-000000000000', '--artifact-mb', '5'],
      1,
      'There is no account 00000000',
    ],
    [['remove'], 1, 'There are no limits for all accounts: vedette quotas list shows them.'],
  ])('refuses %j', async (argv, code, message) => {
    const result = await operate(...argv)
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)])
  })
})
