import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-15T08:00:00.000Z')
beforeAll(async () => {
  api = await startTestApi(
    { RATE_LIMIT_FACTOR: '1', RATE_LIMIT_PER_MINUTE: '100000', TRUST_PROXY: 'true' },
    { now: () => now },
  )
})
afterAll(() => api.close())

let visitors = 0
/** From a new address by default. */
function subscribe(slug: string, body: string, ip = `192.0.2.${++visitors}`) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': ip }
  return api.nobody.send('POST', `/s/${slug}/subscriptions`, body, headers)
}
const as = (address: string) => `address=${encodeURIComponent(address)}`

async function newPage(settings: Record<string, unknown> = {}) {
  const body = { name: 'Shop', url: `p-${randomUUID().slice(0, 13)}`, cards: [], ...settings }
  const page = (await api.alice.post('/v1/status-pages', body)).body
  return {
    id: page.id as string,
    slug: page.url as string,
    readers: async () => (await api.alice.get(`/v1/status-pages/${page.id}/subscriptions`)).body,
    mails: async () => {
      const { rows } = await api.store.pool.query(
        `select m.kind, m.recipient from mails m join status_page_subscriptions s on s.id = m.subscription_id
         where s.status_page_id = $1 order by m.created_at`,
        [page.id],
      )
      return rows
    },
  }
}

const question = (recipient: string) => ({ kind: 'subscription_verification', recipient })

describe('POST /s/{slug}/subscriptions', () => {
  it('202: asks the address to confirm, ignoring the case of the page’s name', async () => {
    const { slug, readers, mails } = await newPage()
    const response = await subscribe(slug.toUpperCase(), as(' ada@example.com '))
    expect(response.status).toBe(202)
    expect(response.text).toContain('Check your mailbox')
    expect(await readers()).toMatchObject([{ address: 'ada@example.com', status: 'PENDING' }])
    expect(await mails()).toEqual([question('ada@example.com')])
  })

  it("202: the response doesn't reveal whether the address is subscribed", async () => {
    const { id, slug, readers, mails } = await newPage()
    const unknown = await subscribe(slug, as('bea@example.com'))
    await api.store.pool.query(
      `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1`,
      [id],
    )
    const known = await subscribe(slug, as('bea@example.com'))
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    expect(await readers()).toHaveLength(1)
    expect(await mails()).toEqual([question('bea@example.com')])
  })

  it('202: sends another email on request, but at most three a day', async () => {
    const { slug, readers, mails } = await newPage()
    for (let turn = 0; turn < 5; turn++) {
      expect((await subscribe(slug, as(turn % 2 ? 'Cy@example.com' : 'cy@example.com'))).status).toBe(202)
    }
    expect(await readers()).toHaveLength(1)
    expect(await mails()).toHaveLength(3)
    now += 86_400_000
    await subscribe(slug, as('cy@example.com'))
    expect(await mails()).toHaveLength(4)
  })

  it("400: an invalid address, which the page doesn't show", async () => {
    const { slug, readers } = await newPage()
    const bodies = [
      '',
      'address=',
      as('ada'),
      as('"><script>@example.com'),
      as('a@example.com\r\nBcc: b@example.com'),
    ]
    for (const body of bodies) {
      const response = await subscribe(slug, body)
      expect(response.status).toBe(400)
      expect(response.text).not.toContain('<script')
    }
    expect(await readers()).toEqual([])
  })

  it('404: private pages look like unknown ones', async () => {
    const { slug, readers } = await newPage({ isPrivate: true })
    const secret = await subscribe(slug, as('ada@example.com'))
    const none = await subscribe('no-such-page', as('ada@example.com'))
    expect([secret.status, secret.text]).toEqual([404, none.text])
    expect(await readers()).toEqual([])
  })

  it("404: a name that can't be stored", async () => {
    expect((await subscribe('a%00b', as('ada@example.com'))).status).toBe(404)
    expect((await api.nobody.get('/s/a%00b')).status).toBe(404)
  })

  it('429: one visitor does not subscribe the world', async () => {
    const { slug, readers } = await newPage()
    const statuses: number[] = []
    for (let turn = 0; turn < 22; turn++) {
      statuses.push((await subscribe(slug, as(`n${turn}@example.com`), '198.51.100.7')).status)
    }
    expect(statuses).toEqual([...Array(20).fill(202), 429, 429])
    expect(await readers()).toHaveLength(20)
    now += 3_600_000
    expect((await subscribe(slug, as('later@example.com'), '198.51.100.7')).status).toBe(202)
  })
})
