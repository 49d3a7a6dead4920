import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let owner: Caller
beforeAll(async () => {
  api = await startTestApi()
  owner = await api.newAccount()
})
afterAll(() => api.close())

const found = async (
  query: string,
  caller = owner,
): Promise<{ kind: string; id: string; name: string; detail: string | null }[]> =>
  (await caller.get(`/v1/search?query=${encodeURIComponent(query)}`)).body

const names = async (query: string) => (await found(query)).map(({ kind, name }) => `${kind} ${name}`)

describe('GET /v1/search', () => {
  it('200: every kind, by parts of names, and at most `limit` of each', async () => {
    const ids: Record<string, string> = {}
    for (const name of ['The big shop', 'Shop', 'bookshop', 'Mail']) {
      const body = { ...checkTypes.API.example, name, tags: name === 'Mail' ? ['billing'] : [] }
      ids[name] = (await owner.post('/v1/checks/api', body)).body.id
    }
    await owner.post('/v1/check-groups', { name: 'Shop checks' })
    await owner.post('/v1/alert-channels', { type: 'EMAIL', config: { address: 'shop@example.com' } })
    await owner.post('/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Shop hook', url: 'https://example.com' },
    })
    await owner.post('/v1/private-locations', { name: 'Shop floor', slugName: 'shop-floor' })
    await owner.post('/v1/dashboards', { header: 'Shop wall' })
    await owner.post('/v1/maintenance-windows', {
      ...{ name: 'Shop upgrade', startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-01T01:00:00Z' },
    })
    const { body: service } = await owner.post('/v1/status-pages/services', { name: 'Shop' })
    await owner.post('/v1/status-pages', {
      name: 'Shop status',
      url: 'shop-status',
      cards: [{ name: 'All', services: [{ id: service.id }] }],
    })
    await owner.post('/v1/status-pages/incidents', {
      ...{ name: 'Shop is down', severity: 'MAJOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'Looking' }],
    })
    expect(await names('SHOP')).toEqual([
      'check Shop',
      'check The big shop',
      'check bookshop',
      'group Shop checks',
      'incident Shop is down',
      'status-page Shop status',
      'dashboard Shop wall',
      'alert-channel Shop hook',
      'alert-channel shop@example.com',
      'private-location Shop floor',
      'maintenance-window Shop upgrade',
    ])
    expect((await owner.get('/v1/search?query=shop&limit=1')).body).toHaveLength(8)
    expect(await names('billing')).toEqual(['check Mail'])
    expect((await found(String(ids.Shop)))[0]).toMatchObject({ kind: 'check', id: ids.Shop })
    expect((await found('is down'))[0]).toMatchObject({ kind: 'incident', detail: 'investigating' })
    const host = new URL(checkTypes.API.example.request.url).hostname
    expect((await found(host)).filter(({ kind }) => kind === 'check')).toHaveLength(4)
  })

  it('200: characters of patterns mean themselves; other accounts have their own', async () => {
    await owner.post('/v1/check-groups', { name: '100%_done\\' })
    expect(await names('%')).toEqual(['group 100%_done\\'])
    expect(await names('%_d')).toEqual(['group 100%_done\\'])
    expect(await names('\\')).toEqual(['group 100%_done\\'])
    expect(await found('shop', api.bob)).toEqual([])
  })

  it('400: without a query', async () => {
    expect((await owner.get('/v1/search?query=%20')).status).toBe(400)
    expect((await owner.get('/v1/search')).status).toBe(400)
  })
})
