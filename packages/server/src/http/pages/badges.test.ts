import { badgeStyles, badgeThemes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeLinks } from '../../storage/core/signed-links.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function makeCheck(values: object = {}): Promise<string> {
  const request = { method: 'GET', url: 'https://example.com' }
  return (
    await api.alice.post('/v1/checks/api', { name: 'Shop', locations: ['eu-west-1'], request, ...values })
  ).body.id
}

async function record(checkId: string, values: Partial<SomeResult> = {}): Promise<void> {
  const { accountId } = api.alice
  await insertResults(api.store, [
    { accountId, checkId, scheduledAt: Date.now() - 5000, ...values } as SomeResult,
  ])
}

const titleOf = (svg: string) => /<title>(.*?)<\/title>/.exec(svg)?.[1]

async function title(path: string): Promise<string | undefined> {
  const response = await api.nobody.get(path)
  expect(response.status).toBe(200)
  return titleOf(response.text)
}

describe('GET /v1/badges/checks/{checkId}', () => {
  it('200: is a public image that may be cached for a minute', async () => {
    const response = await api.nobody.get(`/v1/badges/checks/${await makeCheck()}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(response.text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>$/)
  })

  it.each<[string, Partial<SomeResult>]>([
    ['passing', {}],
    ['degraded', { isDegraded: true }],
    ['failing', { hasFailures: true }],
  ])('200: shows %s', async (state, values) => {
    const checkId = await makeCheck()
    await record(checkId, values)
    expect(await title(`/v1/badges/checks/${checkId}`)).toBe(`Shop: ${state}`)
  })

  it('200: shows unknown for a check that never ran, or only with internal errors', async () => {
    const checkId = await makeCheck()
    expect(await title(`/v1/badges/checks/${checkId}`)).toBe('Shop: unknown')
    await record(checkId, { hasErrors: true })
    expect(await title(`/v1/badges/checks/${checkId}`)).toBe('Shop: unknown')
  })

  it('200: shows unknown, in gray, for a check whose last run is too long ago', async () => {
    const checkId = await makeCheck({ frequency: 10 })
    await record(checkId, { scheduledAt: Date.now() - 51 * 60_000 })
    const { text } = await api.nobody.get(`/v1/badges/checks/${checkId}`)
    expect(titleOf(text)).toBe('Shop: unknown')
    expect(text).toContain('#8c959f')
    await record(checkId)
    expect(await title(`/v1/badges/checks/${checkId}`)).toBe('Shop: passing')
  })

  it("200: shows that a check doesn't run", async () => {
    expect(await title(`/v1/badges/checks/${await makeCheck({ activated: false })}`)).toBe('Shop: inactive')
  })

  it('200: shows the last response time when asked', async () => {
    const checkId = await makeCheck()
    await record(checkId, { responseTimeMs: 243.4 })
    expect(await title(`/v1/badges/checks/${checkId}?responseTime=true`)).toBe('Shop: passing | 243 ms')
  })

  it('200: every style and theme looks different; only social has no colors', async () => {
    const path = `/v1/badges/checks/${await makeCheck()}`
    const pictures = new Set<string>()
    for (const style of badgeStyles) {
      for (const theme of badgeThemes) {
        const { status, text } = await api.nobody.get(`${path}?style=${style}&theme=${theme}`)
        expect(status).toBe(200)
        expect(text.includes('#8c959f')).toBe(style !== 'social')
        pictures.add(text)
      }
    }
    expect(pictures.size).toBe((badgeStyles.length - 1) * badgeThemes.length + 1)
  })

  it('200: escapes the name', async () => {
    const name = `<script>alert("x")</script> & 'co' \u0007\u202e${'long '.repeat(30)}`
    const { text } = await api.nobody.get(`/v1/badges/checks/${await makeCheck({ name })}`)
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &apos;co&apos; long long')
    expect(text).toContain('…')
  })

  it.each(['style=round', 'theme=blue', 'responseTime=maybe'])('400: refuses %s', async (query) => {
    expect((await api.nobody.get(`/v1/badges/checks/${await makeCheck()}?${query}`)).status).toBe(400)
  })

  it('404: for an unknown check, and if the account has turned off badges', async () => {
    const unknown = '/v1/badges/checks/00000000-0000-4000-8000-000000000000'
    expect((await api.nobody.get(unknown)).status).toBe(404)
    const checkId = await makeCheck()
    const group = (await api.alice.post('/v1/check-groups', { name: 'Hidden' })).body
    await api.store.pool.query(
      `update accounts set settings = settings || '{"allowBadges": false}' where id = $1`,
      [api.alice.accountId],
    )
    expect((await api.nobody.get(`/v1/badges/checks/${checkId}`)).status).toBe(404)
    expect((await api.nobody.get(`/v1/badges/groups/${group.id}`)).status).toBe(404)
    await api.store.pool.query(
      `update accounts set settings = settings || '{"allowBadges": true}' where id = $1`,
      [api.alice.accountId],
    )
    expect((await api.nobody.get(`/v1/badges/checks/${checkId}`)).status).toBe(200)
  })
})

describe('GET /v1/badges/groups/{groupId}', () => {
  it('200: has the name of the group, unless the account does not want that', async () => {
    const { id } = (await api.alice.post('/v1/check-groups', { name: 'Checkout' })).body
    expect(await title(`/v1/badges/groups/${id}`)).toBe('Checkout: unknown')
    await api.alice.patch('/v1/accounts/me', { settings: { showGroupNamesOnBadges: false } })
    expect(await title(`/v1/badges/groups/${id}`)).toBe('checks: unknown')
    await api.alice.patch('/v1/accounts/me', { settings: { showGroupNamesOnBadges: true } })
  })

  it('200: shows the worst state', async () => {
    const group = (await api.alice.post('/v1/check-groups', { name: 'Shop' })).body
    const path = `/v1/badges/groups/${group.id}`
    expect(await title(path)).toBe('Shop: unknown')
    await record(await makeCheck({ groupId: group.id }), { responseTimeMs: 900 })
    expect(await title(path)).toBe('Shop: passing')
    await makeCheck({ groupId: group.id })
    expect(await title(path)).toBe('Shop: unknown')
    await record(await makeCheck({ groupId: group.id }), { isDegraded: true, responseTimeMs: 12_345 })
    expect(await title(`${path}?responseTime=true`)).toBe('Shop: degraded | 12.3 s')
    await record(await makeCheck({ groupId: group.id }), { hasFailures: true })
    expect(await title(path)).toBe('Shop: failing')
  })

  it('200: with its token, if the account has turned off badges', async () => {
    const { id } = (await api.alice.post('/v1/check-groups', { name: 'Quiet' })).body
    const other = (await api.alice.post('/v1/check-groups', { name: 'Other' })).body
    await api.alice.patch('/v1/accounts/me', { settings: { allowBadges: false } })
    const { status, body } = await api.alice.post(`/v1/check-groups/${id}/badge-token`)
    expect(status).toBe(201)
    expect(body.url).toBe(`http://vedette.test/v1/badges/groups/${id}?token=${body.token}`)
    expect(await title(`/v1/badges/groups/${id}?token=${body.token}`)).toBe('Quiet: unknown')
    for (const path of [
      `${id}`,
      `${id}?token=`,
      `${id}?token=${'x'.repeat(22)}`,
      `${other.id}?token=${body.token}`,
    ])
      expect((await api.nobody.get(`/v1/badges/groups/${path}`)).status, path).toBe(404)
    expect((await api.alice.post(`/v1/check-groups/${id}/badge-token`)).body).toEqual(body)
    await revokeLinks(api.store.db, api.alice.accountId)
    expect((await api.nobody.get(`/v1/badges/groups/${id}?token=${body.token}`)).status).toBe(404)
    await api.alice.patch('/v1/accounts/me', { settings: { allowBadges: true } })
  })

  it('404: no token for a group of another account', async () => {
    const { id } = (await api.alice.post('/v1/check-groups', { name: 'Hers' })).body
    expect((await api.bob.post(`/v1/check-groups/${id}/badge-token`)).status).toBe(404)
  })

  it('404: for a group that there is not', async () => {
    expect((await api.nobody.get('/v1/badges/groups/2147483647')).status).toBe(404)
  })
})
