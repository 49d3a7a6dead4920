import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { insertTestCheck, insertTestGroup } from '../../testing/targets.ts'
import { createAccount } from '../accounts/first-account.ts'
import {
  listSubscriptions,
  replaceChannelSubscriptions,
  replaceSubscriptions,
  subscribeNew,
  upsertSubscription,
} from './subscriptions.ts'

let database: TestDatabase
let accountId: string
let strangerId: string
let plain: number
let automatic: number
beforeAll(async () => {
  database = await createTestDatabase()
  strangerId = (await createAccount(database.store.db, 'A stranger')).id
})
afterAll(() => database.drop())
beforeEach(async () => {
  accountId = (await createAccount(database.store.db, 'An account')).id
  plain = await insertChannel(accountId, false)
  automatic = await insertChannel(accountId, true)
})

describe('subscribeNew', () => {
  it.each([
    ['all channels with autoAssignAlerts', true],
    ['only channels that subscribe by themselves without it', false],
  ])('subscribes %s', async (_, autoAssignAlerts) => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, accountId)
    await subscribeNew(db, accountId, [{ target: { checkId }, autoAssignAlerts, explicit: [] }])
    const expected = autoAssignAlerts ? [entry(plain), entry(automatic)] : [entry(automatic)]
    expect(await entriesOf({ checkIds: [checkId] })).toEqual(expected)
  })

  it('lets explicit entries win, the last of several for one channel', async () => {
    const { db } = database.store
    const groupId = await insertTestGroup(db, accountId)
    const explicit = [entry(plain), entry(automatic, false), entry(plain, false)]
    await subscribeNew(db, accountId, [{ target: { groupId }, autoAssignAlerts: true, explicit }])
    expect(await entriesOf({ groupIds: [groupId] })).toEqual([entry(plain, false), entry(automatic, false)])
  })

  it('refuses a channel of another account, naming each entry', async () => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, accountId)
    const foreign = await insertChannel(strangerId, false)
    const explicit = [entry(foreign), entry(plain), entry(2_147_483_647)]
    const refused = subscribeNew(db, accountId, [{ target: { checkId }, autoAssignAlerts: false, explicit }])
    await expect(refused).rejects.toMatchObject({
      status: 400,
      attributes: {
        'alertChannelSubscriptions.0.alertChannelId': 'does not exist',
        'alertChannelSubscriptions.2.alertChannelId': 'does not exist',
      },
    })
  })

  it('subscribes more channels than a statement has parameters for', async () => {
    const { pool, db } = database.store
    await pool.query(
      `insert into alert_channels (account_id, type, config, send_recovery, send_failure, send_degraded,
         ssl_expiry, ssl_expiry_threshold, auto_subscribe)
       select $1, 'EMAIL', '{}', true, true, false, false, 30, false from generate_series(1, 14000)`,
      [accountId],
    )
    const checkId = await insertTestCheck(db, accountId)
    await subscribeNew(db, accountId, [{ target: { checkId }, autoAssignAlerts: true, explicit: [] }])
    expect(await entriesOf({ checkIds: [checkId] })).toHaveLength(14_002)
  })
})

describe('replaceSubscriptions', () => {
  it('sets exactly what is given and keeps the ids of what stays', async () => {
    const { db } = database.store
    const groupId = await insertTestGroup(db, accountId)
    await replaceSubscriptions(db, accountId, [
      { target: { groupId }, entries: [entry(plain), entry(automatic)] },
    ])
    const [before] = await listSubscriptions(db, accountId, { groupIds: [groupId] })
    await replaceSubscriptions(db, accountId, [
      { target: { groupId }, entries: [entry(plain), entry(plain, false)] },
    ])
    const after = await listSubscriptions(db, accountId, { groupIds: [groupId] })
    expect(after).toEqual([{ ...before, activated: false }])
    await replaceSubscriptions(db, accountId, [{ target: { groupId }, entries: [] }])
    expect(await listSubscriptions(db, accountId, { groupIds: [groupId] })).toEqual([])
  })

  it('changes nothing of another check', async () => {
    const { db } = database.store
    const [one, other] = [await insertTestCheck(db, accountId), await insertTestCheck(db, accountId)]
    await replaceSubscriptions(db, accountId, [{ target: { checkId: other }, entries: [entry(plain)] }])
    await replaceSubscriptions(db, accountId, [{ target: { checkId: one }, entries: [entry(automatic)] }])
    expect(await entriesOf({ checkIds: [other] })).toEqual([entry(plain)])
  })

  it('refuses a channel of another account', async () => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, accountId)
    const foreign = await insertChannel(strangerId, false)
    await expect(
      replaceSubscriptions(db, accountId, [{ target: { checkId }, entries: [entry(foreign)] }]),
    ).rejects.toMatchObject({
      attributes: { 'alertChannelSubscriptions.0.alertChannelId': 'does not exist' },
    })
  })
})

describe('from the side of a channel', () => {
  it('upsertSubscription adds one and then toggles it', async () => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, accountId)
    const added = await upsertSubscription(db, accountId, plain, { checkId, activated: true })
    const toggled = await upsertSubscription(db, accountId, plain, { checkId, activated: false })
    expect(toggled).toEqual({ ...added, activated: false })
  })

  it('upsertSubscription finds no target of another account', async () => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, strangerId)
    expect(await upsertSubscription(db, accountId, plain, { checkId, activated: true })).toBeNull()
  })

  it('replaceChannelSubscriptions sets exactly these, the last of several for one target', async () => {
    const { db } = database.store
    const [checkId, gone] = [await insertTestCheck(db, accountId), await insertTestCheck(db, accountId)]
    const groupId = await insertTestGroup(db, accountId)
    await replaceChannelSubscriptions(db, accountId, plain, [{ checkId: gone, activated: true }])
    await replaceChannelSubscriptions(db, accountId, plain, [
      { checkId: checkId.toUpperCase(), activated: false },
      { groupId, activated: true },
      { checkId, activated: true },
    ])
    expect(await listSubscriptions(db, accountId, { channelIds: [plain] })).toMatchObject([
      { check_id: checkId, group_id: null, activated: true },
      { check_id: null, group_id: groupId, activated: true },
    ])
  })

  it('replaceChannelSubscriptions names every target that the account lacks', async () => {
    const { db } = database.store
    const checkId = await insertTestCheck(db, strangerId)
    const groupId = await insertTestGroup(db, strangerId)
    const entries = [
      { checkId, activated: true },
      { groupId, activated: true },
    ]
    await expect(replaceChannelSubscriptions(db, accountId, plain, entries)).rejects.toMatchObject({
      attributes: {
        'subscriptions.0.checkId': 'does not exist',
        'subscriptions.1.groupId': 'does not exist',
      },
    })
  })
})

const entry = (alertChannelId: number, activated = true) => ({ alertChannelId, activated })

async function entriesOf(of: { groupIds: number[] } | { checkIds: string[] }) {
  const rows = await listSubscriptions(database.store.db, accountId, of)
  return rows.map((row) => entry(row.alert_channel_id, row.activated))
}

async function insertChannel(owner: string, autoSubscribe: boolean): Promise<number> {
  const { id } = await database.store.db
    .insertInto('alert_channels')
    .values({
      account_id: owner,
      type: 'EMAIL',
      config: '{}',
      send_recovery: true,
      send_failure: true,
      send_degraded: false,
      ssl_expiry: false,
      ssl_expiry_threshold: 30,
      auto_subscribe: autoSubscribe,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
