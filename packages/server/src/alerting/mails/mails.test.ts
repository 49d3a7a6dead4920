import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../../storage/accounts/first-account.ts'
import { claimMails, insertMails } from '../../storage/alerts/mails.ts'
import { openVault } from '../../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import { deliverMails, type MailDelivery } from './mails.ts'

let database: TestDatabase
let accountId: string
beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await createAccount(database.store.db, 'An account')).id
})
afterAll(() => database.drop())

const start = Date.parse('2026-11-15T08:00:00.000Z')
const minute = 60_000
const hour = 60 * minute
let now = start
beforeEach(async () => {
  now = start
  await database.store.pool.query('delete from mails')
})

const queue = (recipients: string[]) =>
  insertMails(
    database.store.pool,
    recipients.map((recipient) => ({
      accountId,
      kind: 'subscription_verification',
      recipient,
      facts: { subscriptionId: randomUUID(), page: 'Shop', slug: 'shop' },
    })),
    now,
  )

function deliver(send: MailDelivery['send']) {
  return deliverMails(database.store.pool, {
    send,
    now: () => now,
    publicUrl: 'http://vedette.test',
    sign: openVault('a secret key for tests').sign,
    log: pino({ level: 'silent' }),
  })
}

async function stored() {
  const { rows } = await database.store.pool.query('select * from mails order by recipient')
  return rows
}

const transient = () => new DeliveryError('451 try later', { permanent: false })

describe('deliverMails', () => {
  it('sends due emails once, and stores the response of the mail server', async () => {
    await queue(['a@example.com', 'b@example.com'])
    const sent: Mail[] = []
    const send = async (mail: Mail) => {
      sent.push(mail)
      return '250 queued'
    }
    expect(await deliver(send)).toBe(2)
    expect(await deliver(send)).toBe(0)
    expect(sent.map(({ to }) => to).toSorted()).toEqual(['a@example.com', 'b@example.com'])
    const rows = await stored()
    expect(rows).toMatchObject([
      { status: 'SUCCESS', result: '250 queued', attempts: 1, due_at: null },
      { status: 'SUCCESS', result: '250 queued', attempts: 1, due_at: null },
    ])
    expect(sent.map(({ messageId }) => messageId).toSorted()).toEqual(
      rows.map(({ id }) => `${id}@vedette.test`).toSorted(),
    )
  })

  it('gives up at once after a permanent refusal', async () => {
    await queue(['a@example.com'])
    await deliver(async () => {
      throw new DeliveryError('550 no such user', { permanent: true })
    })
    expect(await stored()).toMatchObject([{ status: 'FAILURE', result: '550 no such user', due_at: null }])
  })

  it('retries with growing delays and the same message id, for six hours', async () => {
    await queue(['a@example.com'])
    const ids = new Set<string>()
    const tries: number[] = []
    for (let due: string | null = ''; due !== null; ) {
      await deliver(async ({ messageId }) => {
        ids.add(messageId)
        tries.push((now - start) / 1000)
        throw transient()
      })
      due = (await stored())[0].due_at
      if (due !== null) now = Date.parse(due)
    }
    expect(tries.slice(0, 8)).toEqual([0, 20, 80, 200, 500, 1100, 2000, 2900])
    expect(tries.at(-1)).toBeLessThanOrEqual(6 * 3600)
    expect(tries.at(-1)).toBeGreaterThan(5.7 * 3600)
    expect(ids.size).toBe(1)
    expect(await stored()).toMatchObject([{ status: 'FAILURE', result: '451 try later', due_at: null }])
  })

  it('waits as long as the mail server asks for', async () => {
    await queue(['a@example.com'])
    await deliver(async () => {
      throw new DeliveryError('slow down', { permanent: false, retryAfterMs: 4 * minute })
    })
    expect(await stored()).toMatchObject([{ status: 'IN_PROGRESS', due_at: '2026-11-15T08:04:00.000Z' }])
  })

  it('takes over emails that a killed server had claimed, when the claim expires', async () => {
    await queue(['a@example.com'])
    const [claimed] = await claimMails(database.store.pool, { now, limit: 10, leaseMs: 5 * minute })
    expect(claimed).toMatchObject({ recipient: 'a@example.com', attempts: 1 })
    expect(await deliver(async () => 'ok')).toBe(0)
    now += 5 * minute
    expect(await deliver(async () => 'ok')).toBe(1)
    expect(await stored()).toMatchObject([{ status: 'SUCCESS', attempts: 2 }])
  })

  it("doesn't requeue an email that another server has sent meanwhile", async () => {
    await queue(['a@example.com'])
    await deliver(async () => {
      now += 5 * minute
      expect(await deliver(async () => 'sent by the other')).toBe(1)
      throw transient()
    })
    expect(await stored()).toMatchObject([{ status: 'SUCCESS', result: 'sent by the other', due_at: null }])
  })

  it('sends at most ten at once, and a slow one delays no other', async () => {
    await queue(Array.from({ length: 40 }, (_, index) => `m${index}@example.com`))
    let [open, most, others] = [0, 0, 0]
    let release = () => undefined as unknown
    const slow = new Promise((resolve) => {
      release = () => resolve(undefined)
    })
    const count = await deliver(async ({ to }) => {
      most = Math.max(most, ++open)
      if (to === 'm0@example.com') await slow
      else if (++others === 39) release()
      open--
      return 'ok'
    })
    expect(count).toBe(40)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(10)
    expect((await stored()).every(({ status, attempts }) => status === 'SUCCESS' && attempts === 1)).toBe(
      true,
    )
  })

  it('lets two servers share the work without sending anything twice', async () => {
    await queue(Array.from({ length: 30 }, (_, index) => `m${index}@example.com`))
    const sent: string[] = []
    const send = async ({ to }: Mail) => {
      sent.push(to)
      return 'ok'
    }
    await Promise.all([deliver(send), deliver(send)])
    expect(sent.length).toBe(30)
    expect(new Set(sent).size).toBe(30)
  })

  it("doesn't send an email that waited a day for its first attempt", async () => {
    await queue(['a@example.com'])
    now += 24 * hour + 1
    await deliver(async () => {
      throw new Error('must not be sent')
    })
    expect(await stored()).toMatchObject([
      { status: 'FAILURE', result: 'The email was not sent, because it was more than 24 hours old.' },
    ])
  })

  it('retries after an internal error, and sends the others', async () => {
    await queue(['a@example.com', 'b@example.com'])
    await database.store.pool.query(`update mails set facts = '{}' where recipient = 'a@example.com'`)
    expect(await deliver(async () => 'ok')).toBe(2)
    expect(await stored()).toMatchObject([
      { status: 'IN_PROGRESS', due_at: '2026-11-15T08:00:20.000Z' },
      { status: 'SUCCESS' },
    ])
  })
})
