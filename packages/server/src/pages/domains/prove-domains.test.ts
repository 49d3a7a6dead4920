import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { startDnsServer, type TestDnsServer } from '../../testing/dns-server.ts'
import { openTxtLookup } from './look-up-txt.ts'
import { graceMs, proveDueDomains } from './prove-domains.ts'

let api: TestApi
let dns: TestDnsServer
let now = Date.now()
const clock = { now: () => now }

beforeAll(async () => {
  dns = await startDnsServer()
  api = await startTestApi({}, clock)
})
afterAll(async () => {
  await api.close()
  dns.close()
})
beforeEach(async () => {
  dns.records.clear()
  dns.isBroken = false
  await api.store.db.deleteFrom('status_pages').execute()
})

let count = 0
async function newPage(customDomain: string, caller: Caller = api.alice) {
  const sent = { name: 'Shop', url: `shop-${count++}`, customDomain, cards: [] }
  return (await caller.post('/v1/status-pages', sent)).body
}

async function prove(): Promise<number> {
  const proven = await proveDueDomains({
    db: api.store.db,
    sign: api.vault.sign,
    clock,
    lookUp: openTxtLookup([dns.address]),
  })
  await api.pageHosts.refresh()
  return proven
}

async function statusOf(page: { id: string }, caller: Caller = api.alice) {
  return (await caller.get(`/v1/status-pages/${page.id}`)).body.customDomainStatus
}

function publish({ recordName, recordValue }: { recordName: string; recordValue: string }): void {
  dns.records.set(recordName, ['v=spf1 -all', recordValue])
}

describe('the proof of a custom domain', () => {
  it('is a TXT record that the API names', async () => {
    const page = await newPage('status.acme.com')
    expect(page.customDomainStatus).toEqual({
      status: 'pending',
      reason: 'The DNS record has not been looked up yet.',
      recordType: 'TXT',
      recordName: '_vedette.status.acme.com',
      recordValue: expect.stringMatching(/^vedette=[\w-]{43}$/),
    })
    expect(api.pageHosts.isServed('status.acme.com')).toBe(false)
    await prove()
    const problem = 'There is no TXT record at _vedette.status.acme.com.'
    expect(await statusOf(page)).toMatchObject({ status: 'pending', reason: problem })
    publish(page.customDomainStatus)
    now += 3 * minuteMs
    await prove()
    expect(await statusOf(page)).toMatchObject({ status: 'served', reason: null })
    expect(api.pageHosts.isServed('status.acme.com')).toBe(true)
  })

  it('is bound to the account', async () => {
    const hers = await newPage('hers.acme.com')
    publish(hers.customDomainStatus)
    await api.alice.delete(`/v1/status-pages/${hers.id}`)
    const his = await newPage('hers.acme.com', api.bob)
    await prove()
    expect(await statusOf(his, api.bob)).toMatchObject({
      status: 'pending',
      reason: 'The TXT record at _vedette.hers.acme.com has another value.',
    })
  })

  it('is looked up by one server, every few minutes until it is found and then daily', async () => {
    const page = await newPage('often.acme.com')
    expect((await Promise.all([prove(), prove(), prove()])).sort()).toEqual([0, 0, 1])
    expect(await prove()).toBe(0)
    publish(page.customDomainStatus)
    now += 3 * minuteMs
    expect(await prove()).toBe(1)
    now += dayMs - minuteMs
    expect(await prove()).toBe(0)
    now += minuteMs
    expect(await prove()).toBe(1)
  })

  it('is looked up by another server if one dies meanwhile', async () => {
    await newPage('killed.acme.com')
    const dying = {
      db: api.store.db,
      sign: api.vault.sign,
      clock,
      lookUp: () => new Promise<never>(() => {}),
    }
    void proveDueDomains(dying)
    await expect
      .poll(
        async () => (await api.store.db.selectFrom('page_domains').select('check_at').execute())[0]?.check_at,
      )
      .toBe(new Date(now + minuteMs).toISOString())
    expect(await prove()).toBe(0)
    now += 2 * minuteMs
    expect(await prove()).toBe(1)
  })

  it('outlasts failed lookups, and a missing record until the grace period is over', async () => {
    const page = await newPage('lost.acme.com')
    publish(page.customDomainStatus)
    await prove()
    dns.isBroken = true
    now += 2 * dayMs
    await prove()
    expect(await statusOf(page)).toMatchObject({
      status: 'served',
      reason: "The TXT record at _vedette.lost.acme.com can't be looked up (ESERVFAIL).",
    })
    now += graceMs
    await prove()
    expect(await statusOf(page)).toMatchObject({ status: 'served' })
    dns.isBroken = false
    dns.records.clear()
    now += hourMs
    await prove()
    expect(await statusOf(page)).toMatchObject({ status: 'served' })
    now += graceMs - hourMs
    await prove()
    expect(await statusOf(page)).toMatchObject({ status: 'served' })
    now += 2 * hourMs
    await prove()
    expect(await statusOf(page)).toMatchObject({
      status: 'pending',
      reason: 'There is no TXT record at _vedette.lost.acme.com.',
    })
    expect(api.pageHosts.isServed('lost.acme.com')).toBe(false)
  })

  it('starts the grace period anew when the record comes back', async () => {
    const page = await newPage('back.acme.com')
    publish(page.customDomainStatus)
    await prove()
    dns.records.clear()
    now += 2 * dayMs
    await prove()
    publish(page.customDomainStatus)
    now += 2 * hourMs
    await prove()
    dns.records.clear()
    now += graceMs + dayMs
    await prove()
    expect(await statusOf(page)).toMatchObject({ status: 'served' })
  })
})

describe('no proof is needed', () => {
  it('with CUSTOM_DOMAIN_PROOF=off', async () => {
    const trusting = await startTestApi({ CUSTOM_DOMAIN_PROOF: 'off' })
    try {
      const sent = { name: 'Shop', url: 'shop', customDomain: 'off.acme.com', cards: [] }
      const { body } = await trusting.bob.post('/v1/status-pages', sent)
      expect(body.customDomainStatus).toMatchObject({ status: 'served', reason: null })
      expect(trusting.pageHosts.isServed('off.acme.com')).toBe(true)
    } finally {
      await trusting.close()
    }
  })

  it('with one account, until there is another one', async () => {
    const own = await startTestApi()
    try {
      await own.store.db.deleteFrom('accounts').where('id', '=', own.bob.accountId).execute()
      const sent = { name: 'Shop', url: 'shop', customDomain: 'alone.acme.com', cards: [] }
      const { body } = await own.alice.post('/v1/status-pages', sent)
      expect(body.customDomainStatus).toMatchObject({ status: 'served' })
      expect(own.pageHosts.isServed('alone.acme.com')).toBe(true)
      await own.newAccount()
      await own.pageHosts.refresh()
      expect(own.pageHosts.isServed('alone.acme.com')).toBe(false)
    } finally {
      await own.close()
    }
  })
})
