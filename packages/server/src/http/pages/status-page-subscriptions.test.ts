import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subscriptionLink } from '../../links/subscription-link.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const batch = (...addresses: string[]) => ({
  subscriptions: addresses.map((config) => ({ type: 'EMAIL', config })),
})

async function newPage(): Promise<string> {
  const page = { name: 'Page', url: `p-${randomUUID().slice(0, 13)}`, cards: [] }
  return `/v1/status-pages/${(await api.alice.post('/v1/status-pages', page)).body.id}/subscriptions`
}

describe('POST /v1/status-pages/{statusPageId}/subscriptions/bulk', () => {
  it('201: counts new and existing addresses, ignoring case', async () => {
    const path = await newPage()
    const first = await api.alice.post(
      `${path}/bulk`,
      batch('ada@example.com', 'Bob@example.com', 'ADA@example.com'),
    )
    expect(first.status).toBe(201)
    expect(first.body).toEqual({ created: 2, skipped: 1, status: 'PENDING' })
    const second = await api.alice.post(`${path}/bulk`, batch('bob@EXAMPLE.com', 'cy@example.com'))
    expect(second.body).toEqual({ created: 1, skipped: 1, status: 'PENDING' })
    expect((await api.alice.get(path)).body).toMatchObject([
      { type: 'EMAIL', address: 'Bob@example.com', status: 'PENDING' },
      { type: 'EMAIL', address: 'ada@example.com', status: 'PENDING' },
      { type: 'EMAIL', address: 'cy@example.com', status: 'PENDING' },
    ])
  })

  it('201: sends each new address one verification email', async () => {
    const path = await newPage()
    await api.alice.post(`${path}/bulk`, batch('dee@example.com', 'DEE@example.com'))
    await api.alice.post(`${path}/bulk`, batch('dee@example.com', 'eli@example.com'))
    const ids = (await api.alice.get(path)).body.map((subscription: { id: string }) => subscription.id)
    const { rows } = await api.store.pool.query(
      'select kind, recipient, status from mails where subscription_id = any($1) order by recipient',
      [ids],
    )
    const asked = { kind: 'subscription_verification', status: 'IN_PROGRESS' }
    expect(rows).toEqual([
      { ...asked, recipient: 'dee@example.com' },
      { ...asked, recipient: 'eli@example.com' },
    ])
  })

  it('201: the same address may follow several pages', async () => {
    for (const path of [await newPage(), await newPage()]) {
      expect((await api.alice.post(`${path}/bulk`, batch('ada@example.com'))).body.created).toBe(1)
    }
  })

  it('400: names every wrong field', async () => {
    const path = await newPage()
    const { status, body } = await api.alice.post(`${path}/bulk`, {
      subscriptions: [
        { type: 'EMAIL', config: 'ada' },
        { type: 'SMS', config: 'ada@example.com' },
      ],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['subscriptions.0.config', 'subscriptions.1.type'])
    expect((await api.alice.get(path)).body).toEqual([])
  })

  it('400: accepts 1 to 100', async () => {
    const path = await newPage()
    const many = Array.from({ length: 101 }, (_, index) => `a${index}@example.com`)
    expect((await api.alice.post(`${path}/bulk`, batch())).status).toBe(400)
    expect((await api.alice.post(`${path}/bulk`, batch(...many))).status).toBe(400)
    expect((await api.alice.post(`${path}/bulk`, batch(...many.slice(1)))).body.created).toBe(100)
  })

  it("403: a reader can't subscribe addresses", async () => {
    const path = await newPage()
    expect((await (await api.as('READ_ONLY')).post(`${path}/bulk`, batch('ada@example.com'))).status).toBe(
      403,
    )
  })

  it("404: another account can't subscribe addresses", async () => {
    const path = await newPage()
    expect((await api.bob.post(`${path}/bulk`, batch('ada@example.com'))).status).toBe(404)
  })
})

describe('GET /v1/status-pages/{statusPageId}/subscriptions', () => {
  it('200: has every field of a subscription', async () => {
    const path = await newPage()
    await api.alice.post(`${path}/bulk`, batch('ada@example.com'))
    const { status, body } = await api.alice.get(path)
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: expect.any(String),
        type: 'EMAIL',
        address: 'ada@example.com',
        status: 'PENDING',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
  })

  it('200: shows which addresses are confirmed, and an empty list without subscriptions', async () => {
    const path = await newPage()
    expect((await api.alice.get(path)).body).toEqual([])
    await api.alice.post(`${path}/bulk`, batch('ada@example.com', 'bea@example.com'))
    const [{ id }] = (await api.alice.get(path)).body
    const context = { publicUrl: '', sign: api.vault.sign }
    expect((await api.nobody.get(subscriptionLink(context, 'verify', id))).status).toBe(200)
    const { body } = await api.alice.get(path)
    expect(body.map((reader: { status: string }) => reader.status)).toEqual(['VERIFIED', 'PENDING'])
  })

  it('404: another account sees nothing', async () => {
    expect((await api.bob.get(await newPage())).status).toBe(404)
  })
})

describe('DELETE /v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}', () => {
  it('204: removes it; a second time is 404', async () => {
    const path = await newPage()
    await api.alice.post(`${path}/bulk`, batch('ada@example.com'))
    const [{ id }] = (await api.alice.get(path)).body
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
  })

  it("403: a reader can't remove subscriptions", async () => {
    const path = `${await newPage()}/${randomUUID()}`
    expect((await (await api.as('READ_ONLY')).delete(path)).status).toBe(403)
  })

  it('404: not by another account, nor through another page', async () => {
    const path = await newPage()
    await api.alice.post(`${path}/bulk`, batch('ada@example.com'))
    const [{ id }] = (await api.alice.get(path)).body
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.delete(`${await newPage()}/${id}`)).status).toBe(404)
  })
})
