// Batches as a deployment of a project makes them: one transaction, and a number of statements that doesn't grow.
import { type CheckType, type CheckValues, checkTypes } from '@vedette/contracts'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../storage/accounts/first-account.ts'
import { type Db, transact } from '../storage/core/db.ts'
import type { Tables } from '../storage/core/tables.generated.ts'
import { openVault } from '../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { changeInBulk } from './bulk-changes.ts'
import { type ChangeContext, createChecks, deleteChecks, updateChecks } from './change-checks.ts'

let database: TestDatabase
let db: Db
let statements: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.store.pool }),
    log({ query }) {
      statements.push(query.sql)
    },
  })
})
afterAll(() => database.drop())

const batch = 1_000
const now = Date.UTC(2026, 10, 16)

async function newAccount(): Promise<ChangeContext> {
  const { id } = await createAccount(database.store.db, 'A project')
  await database.store.pool.query(
    `insert into alert_channels (account_id, type, config, send_recovery, send_failure, send_degraded,
       ssl_expiry, ssl_expiry_threshold, auto_subscribe)
     select $1, 'EMAIL', '{}', true, true, false, false, 30, false from generate_series(1, 2)`,
    [id],
  )
  return { accountId: id, vault: openVault('a secret key for tests'), clock: { now: () => now } }
}

/** As the create body of the type is read: with its defaults. */
function valuesOf(type: CheckType, sent: object): CheckValues {
  return checkTypes[type].input.parse(sent) as CheckValues
}

function newChecks(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const at = ['checks', index]
    const name = `check ${index}`
    if (index % 4 === 0) {
      const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'minutes' }
      return { at, type: 'HEARTBEAT' as const, values: valuesOf('HEARTBEAT', { name, heartbeat }) }
    }
    const request = { url: `https://example.com/${index}` }
    const locations = ['eu-west-1', 'us-east-1']
    return { at, type: 'URL' as const, values: valuesOf('URL', { name, locations, request, frequency: 5 }) }
  })
}

/** The statements of one transaction, `begin` and `commit` left out. */
async function counted<T>(work: (tx: Db) => Promise<T>): Promise<{ result: T; count: number }> {
  statements = []
  const result = await transact(db, work)
  return { result, count: statements.filter((text) => !/^(begin|commit)$/.test(text)).length }
}

async function countRows(accountId: string): Promise<Record<string, number>> {
  const { rows } = await database.store.pool.query<Record<string, number>>(
    `select (select count(*) from checks where account_id = $1) as checks,
       (select count(*) from schedule where account_id = $1) as lanes,
       (select count(*) from heartbeats where account_id = $1) as timers,
       (select count(*) from alert_channel_subscriptions where account_id = $1) as subscriptions`,
    [accountId],
  )
  return rows[0] ?? {}
}

const all = { checks: batch, lanes: (batch / 4) * 3, timers: batch / 4, subscriptions: 2 * batch }
const none = { checks: 0, lanes: 0, timers: 0, subscriptions: 0 }

describe('a batch of checks', () => {
  it('is created, updated and deleted with as many statements as a batch of eight', async () => {
    const small = await change(await newAccount(), 8)
    const account = await newAccount()
    const large = await change(account, batch)
    expect(large).toEqual(small)
    expect(Math.max(...Object.values(large))).toBeLessThanOrEqual(20)
    expect(await countRows(account.accountId)).toEqual(none)
  })

  async function change(account: ChangeContext, size: number) {
    const created = await counted((tx) => createChecks(tx, account, newChecks(size)))
    const ids = created.result.map(({ id }) => id)
    if (size === batch) expect(await countRows(account.accountId)).toEqual(all)
    const updated = await counted((tx) =>
      updateChecks(
        tx,
        account,
        ids.map((id, index) => ({ id, read: (type) => newValues(type, index) })),
      ),
    )
    await expectUpdated(account.accountId, size)
    const deleted = await counted((tx) => deleteChecks(tx, account.accountId, ids))
    return { created: created.count, updated: updated.count, deleted: deleted.count }
  }

  function newValues(type: CheckType, index: number): CheckValues {
    const shared = { name: `renamed ${index}`, alertChannelSubscriptions: [] }
    // Items need not send the same fields: what one of them doesn't send stays.
    if (type === 'HEARTBEAT') return { ...shared, tags: ['beat'] }
    return { ...shared, frequency: 10, runParallel: true, activated: index % 2 === 0 }
  }

  async function expectUpdated(accountId: string, size: number): Promise<void> {
    const { rows } = await database.store.pool.query(
      `select check_type, count(*)::int as all, count(*) filter (where name like 'renamed %')::int as renamed,
         count(*) filter (where activated)::int as active, array_agg(distinct frequency) as frequencies,
         array_agg(distinct tags::text) as tags, array_agg(distinct locations::text) as locations,
         count(activation_changed_at)::int as switched, count(distinct settings)::int as settings
       from checks where account_id = $1 group by check_type order by check_type`,
      [accountId],
    )
    expect(rows).toEqual([
      expect.objectContaining({
        check_type: 'HEARTBEAT',
        all: size / 4,
        renamed: size / 4,
        active: size / 4,
        tags: ['{beat}'],
        switched: 0,
      }),
      expect.objectContaining({
        check_type: 'URL',
        all: (size / 4) * 3,
        renamed: (size / 4) * 3,
        active: size / 4,
        frequencies: [10],
        locations: ['{eu-west-1,us-east-1}'],
        switched: size / 2,
        // Each has its own URL, as before.
        settings: (size / 4) * 3,
      }),
    ])
    expect(await countRows(accountId)).toEqual({
      checks: size,
      // Only active ones have lanes: one for each location, since they run in parallel now.
      lanes: size / 2,
      timers: size / 4,
      subscriptions: 0,
    })
  }
})

describe('a bulk action', () => {
  it('takes as many statements for a thousand checks as for eight', async () => {
    const countOf = async (size: number) => {
      const account = await newAccount()
      const created = await transact(db, (tx) => createChecks(tx, account, newChecks(size)))
      const ids = created.map(({ id }) => id)
      const selection = { checkIds: ids }
      const counts: number[] = []
      for (const action of [
        { action: 'pause' as const, dryRun: false, selection },
        { action: 'addTags' as const, tags: ['shop'], dryRun: false, selection },
        { action: 'delete' as const, dryRun: false, selection },
      ]) {
        statements = []
        const { changed } = await changeInBulk(db, account, action, ids)
        expect(changed).toHaveLength(size)
        counts.push(statements.length)
      }
      return counts
    }
    expect(await countOf(batch)).toEqual(await countOf(8))
  })
})

describe('one bad item', () => {
  it('of a new batch leaves nothing behind, and is named', async () => {
    const account = await newAccount()
    const checks = newChecks(batch)
    const [bad] = checks.splice(501, 1)
    const values = { ...bad?.values, groupId: 2_147_483_647 }
    const broken = transact(db, (tx) =>
      createChecks(tx, account, [...checks, { at: ['checks', 501], type: 'URL', values }]),
    )
    await expect(broken).rejects.toMatchObject({
      status: 400,
      attributes: { 'checks.501.groupId': 'does not exist' },
    })
    expect(await countRows(account.accountId)).toEqual(none)
  })

  it.each<[string, CheckValues, object]>([
    [
      'a channel that does not exist',
      { alertChannelSubscriptions: [{ alertChannelId: 2_147_483_647, activated: true }] },
      { 'checks.7.alertChannelSubscriptions.0.alertChannelId': 'does not exist' },
    ],
    ['no location', { locations: [] }, { 'checks.7.locations': expect.stringContaining('could never run') }],
  ])('is found after the checks were written, too: %s', async (_, wrong, attributes) => {
    const account = await newAccount()
    const checks = newChecks(batch).map((check, index) =>
      index === 7 ? { ...check, values: { ...check.values, ...wrong } } : check,
    )
    const broken = transact(db, (tx) => createChecks(tx, account, checks))
    await expect(broken).rejects.toMatchObject({ status: 400, attributes })
    expect(await countRows(account.accountId)).toEqual(none)
  })

  it('of an update or a deletion leaves all checks as they were', async () => {
    const account = await newAccount()
    const created = await transact(db, (tx) => createChecks(tx, account, newChecks(batch)))
    const ids = created.map(({ id }) => id)
    const missing = '00000000-0000-4000-8000-000000000000'
    const update = transact(db, (tx) =>
      updateChecks(
        tx,
        account,
        [...ids, missing].map((id) => ({ id, read: () => ({ name: 'renamed' }) })),
      ),
    )
    await expect(update).rejects.toMatchObject({ status: 404 })
    const deletion = transact(db, (tx) => deleteChecks(tx, account.accountId, [...ids, missing]))
    await expect(deletion).rejects.toMatchObject({ status: 404 })
    expect(await countRows(account.accountId)).toEqual(all)
    const { rows } = await database.store.pool.query(
      `select count(*)::int as renamed from checks where account_id = $1 and name = 'renamed'`,
      [account.accountId],
    )
    expect(rows).toEqual([{ renamed: 0 }])
  })

  it('of a batch is a token that another check has', async () => {
    const account = await newAccount()
    const pingToken = '11111111-1111-4111-8111-111111111111'
    const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'minutes', pingToken }
    const check = { type: 'HEARTBEAT' as const, values: valuesOf('HEARTBEAT', { name: 'one', heartbeat }) }
    const twice = transact(db, (tx) => createChecks(tx, account, [check, check]))
    await expect(twice).rejects.toMatchObject({ status: 409 })
    expect(await countRows(account.accountId)).toEqual(none)
  })
})
