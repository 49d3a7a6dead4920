import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const settings = { name: 'Bot', url: 'https://example.com/hook' }

async function newPage() {
  const body = { name: 'Shop', url: `p-${randomUUID().slice(0, 13)}`, cards: [] }
  const page = (await api.alice.post('/v1/status-pages', body)).body
  return `/v1/status-pages/${page.id}/webhooks`
}

describe('/v1/status-pages/{statusPageId}/webhooks', () => {
  it('creates, lists, reads, replaces and deletes a webhook, and shows its secret once', async () => {
    const path = await newPage()
    const { status, body, text } = await api.alice.post(path, settings)
    expect(status, text).toBe(201)
    const { secret, ...shown } = body
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/)
    expect(shown).toEqual({
      ...settings,
      id: expect.any(String),
      events: ['INCIDENT_OPENED', 'INCIDENT_UPDATED', 'INCIDENT_RESOLVED'],
      activated: true,
      deactivatedReason: null,
      created_at: expect.any(String),
      updated_at: null,
    })
    const own = `${path}/${body.id}`
    expect((await api.alice.get(path)).body).toEqual([shown])
    expect((await api.alice.get(own)).body).toEqual(shown)
    const change = {
      name: 'Chat',
      url: 'https://example.com/2',
      events: ['INCIDENT_OPENED'],
      activated: false,
    }
    const replaced = await api.alice.put(own, { ...shown, ...change })
    expect(replaced.status, replaced.text).toBe(200)
    expect(replaced.body).toMatchObject({ ...change, updated_at: expect.any(String) })
    expect(replaced.text).not.toContain('whsec_')
    expect((await api.alice.get(`${own}/deliveries`)).body).toEqual([])
    expect((await api.alice.delete(own)).status).toBe(204)
    expect((await api.alice.get(own)).status).toBe(404)
    expect((await api.alice.delete(own)).status).toBe(404)
  })

  it('seals the secret', async () => {
    const { body } = await api.alice.post(await newPage(), settings)
    const { rows } = await api.store.pool.query('select secret from page_webhooks where id = $1', [body.id])
    expect(rows[0].secret).toEqual({ $sealed: expect.stringMatching(/^v1:/) })
    expect(api.vault.unseal(api.alice.accountId, rows[0].secret)).toBe(body.secret)
  })

  it.each([
    ['no name', { name: '' }, 'name'],
    ['another scheme', { url: 'ftp://example.com' }, 'url'],
    ['no URL', { url: 'example.com' }, 'url'],
    ['no event', { events: [] }, 'events'],
    ['an event twice', { events: ['INCIDENT_OPENED', 'INCIDENT_OPENED'] }, 'events'],
    ['an unknown event', { events: ['OPENED'] }, 'events'],
  ])('400: %s', async (_, change, field) => {
    const path = await newPage()
    const { status, text } = await api.alice.post(path, { ...settings, ...change })
    expect(status).toBe(400)
    expect(text).toContain(field)
    expect((await api.alice.get(path)).body).toEqual([])
  })

  it('409: more than ten on a page, also when they come at once', async () => {
    const path = await newPage()
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => api.alice.post(path, { ...settings, name: `Hook ${n}` })),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 409, 409])
    expect((await api.alice.get(path)).body).toHaveLength(10)
  })

  it("404: another account's page, and a webhook of another page", async () => {
    const [path, other] = [await newPage(), await newPage()]
    const { id } = (await api.alice.post(path, settings)).body
    for (const [method, at, body] of [
      ['GET', path, undefined],
      ['POST', path, settings],
      ['GET', `${path}/${id}`, undefined],
      ['PUT', `${path}/${id}`, settings],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/test`, undefined],
      ['GET', `${path}/${id}/deliveries`, undefined],
    ] as const) {
      expect((await api.bob.send(method, at, body)).status, `${method} ${at}`).toBe(404)
      if (!at.includes(id)) continue
      const elsewhere = at.replace(path, other)
      expect((await api.alice.send(method, elsewhere, body)).status, `${method} ${elsewhere}`).toBe(404)
    }
    expect((await api.alice.get(`${path}/${id}`)).body).toMatchObject(settings)
  })

  it('are deleted with their page', async () => {
    const path = await newPage()
    const { id } = (await api.alice.post(path, settings)).body
    expect((await api.alice.delete(path.replace('/webhooks', ''))).status).toBe(204)
    const { rows } = await api.store.pool.query('select from page_webhooks where id = $1', [id])
    expect(rows).toEqual([])
  })
})
