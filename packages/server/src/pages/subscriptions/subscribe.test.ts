import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

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
  const services: { id: string; name: string }[] = []
  for (const name of ['Checkout', 'Search', 'Login'])
    services.push((await api.alice.post('/v1/status-pages/services', { name })).body)
  const cards = [{ name: 'All', services: services.map(({ id }) => ({ id })) }]
  const body = { name: 'Shop', url: `p-${randomUUID().slice(0, 13)}`, cards, ...settings }
  const page = (await api.alice.post('/v1/status-pages', body)).body
  return {
    id: page.id as string,
    slug: page.url as string,
    services: services.map(({ id }) => id) as [string, string, string],
    readers: async () => (await api.alice.get(`/v1/status-pages/${page.id}/subscriptions`)).body,
    choices: async () => {
      const { rows } = await api.store.pool.query(
        'select service_ids from status_page_subscriptions where status_page_id = $1',
        [page.id],
      )
      return rows.map(({ service_ids }) => service_ids)
    },
    confirmAll: () =>
      api.store.pool.query(
        `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1`,
        [page.id],
      ),
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
const hour = 3_600_000

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
    const { slug, readers, mails, confirmAll } = await newPage()
    const unknown = await subscribe(slug, as('bea@example.com'))
    await confirmAll()
    now += hour
    const known = await subscribe(slug, as('bea@example.com'))
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    expect(await readers()).toHaveLength(1)
    expect(await mails()).toEqual([question('bea@example.com')])
  })

  it('202: sends another email on request, but at most one an hour and three a day', async () => {
    const { slug, readers, mails } = await newPage()
    const ask = (turn: number) => subscribe(slug, as(turn % 2 ? 'Cy@example.com' : 'cy@example.com'))
    for (let turn = 0; turn < 2; turn++) expect((await ask(turn)).status).toBe(202)
    expect(await mails()).toHaveLength(1)
    for (let turn = 0; turn < 4; turn++) {
      now += hour
      expect((await ask(turn)).status).toBe(202)
    }
    expect(await readers()).toHaveLength(1)
    expect(await mails()).toHaveLength(2)
    now += 24 * hour
    await ask(0)
    expect(await mails()).toHaveLength(3)
  })

  it('202: sends one email when several requests come at once', async () => {
    const { slug, readers, mails } = await newPage()
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => subscribe(slug, as('di@example.com'))),
    )
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(await readers()).toHaveLength(1)
    expect(await mails()).toEqual([question('di@example.com')])
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

  it('404: a private page, to which only its owner subscribes people', async () => {
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

describe('services', () => {
  const choosing = (address: string, ids: string[]) =>
    [as(address), ...ids.map((id) => `service[]=${id}`)].join('&')

  it('are all unless some are chosen, and the form offers them', async () => {
    const { slug, services, choices } = await newPage()
    const { text } = await api.nobody.get(`/s/${slug}`)
    for (const id of services)
      expect(text).toContain(`<input type="checkbox" name="service[]" value="${id}">`)
    await subscribe(slug, as('ada@services.test'))
    expect(await choices()).toEqual([null])
    const some = await newPage()
    await subscribe(some.slug, choosing('ada@services.test', some.services.slice(0, 2)))
    expect(await some.choices()).toEqual([some.services.slice(0, 2)])
    const all = await newPage()
    await subscribe(all.slug, choosing('ada@services.test', all.services))
    expect(await all.choices()).toEqual([null])
  })

  it('400: services that the page does not show', async () => {
    const { slug, readers, services } = await newPage()
    const other = await newPage()
    for (const ids of [[other.services[0]], [services[0], randomUUID()], ['x']]) {
      const response = await subscribe(slug, choosing('bea@services.test', ids))
      expect(response.status).toBe(400)
      expect(response.text).toContain('The services of this page have changed')
    }
    expect(await readers()).toEqual([])
  })

  it('of a confirmed subscriber stay until the address confirms the change', async () => {
    const { slug, services, choices, mails, confirmAll } = await newPage()
    const first = await subscribe(slug, choosing('cy@services.test', [services[0]]))
    await confirmAll()
    now += hour
    const change = choosing('cy@services.test', [services[1]])
    const [one, two] = await Promise.all([subscribe(slug, change), subscribe(slug, change)])
    expect([one.text, two.text]).toEqual([first.text, first.text])
    expect(await choices()).toEqual([[services[0]]])
    expect(await mails()).toEqual([
      question('cy@services.test'),
      { kind: 'subscription_change', recipient: 'cy@services.test' },
    ])
  })

  it('that stay the same need no confirmation', async () => {
    const { slug, services, mails, confirmAll } = await newPage()
    await subscribe(slug, choosing('di@services.test', [services[0], services[1]]))
    await confirmAll()
    now += hour
    await subscribe(slug, choosing('di@services.test', [services[1], services[0]]))
    expect(await mails()).toEqual([question('di@services.test')])
  })
})

it('speaks German', async () => {
  const { slug } = await newPage()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de-AT' }
  const send = (body: string) => api.nobody.send('POST', `/s/${slug}/subscriptions`, body, headers)
  const sent = await send(as('ada@deutsch.test'))
  expect(sent.text).toContain('<html lang="de">')
  expect(sent.text).toContain('Sehen Sie in Ihr Postfach')
  expect((await send('')).text).toContain('Das ist keine E-Mail-Adresse')
  const missing = await api.nobody.get('/s/no-such-page?lang=de')
  expect(missing.text).toContain('Diese Statusseite gibt es nicht')
})
