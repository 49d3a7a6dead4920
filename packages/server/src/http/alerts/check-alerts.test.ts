import { alertTypes, checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAlert, type SomeAlert } from '../../testing/alerts.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

const now = Date.UTC(2026, 10, 15, 12)
const hour = 3_600_000

let api: TestApi
let checkId: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  checkId = await createCheck(api.alice)
})
afterAll(() => api.close())

async function createCheck(owner: Caller): Promise<string> {
  return (await owner.post('/v1/checks/api', checkTypes.API.example)).body.id
}

/** In a new account, in order, the last at `at`. */
async function ownerWith(alerts: (Partial<SomeAlert> & { at: number })[]) {
  const owner = await api.newAccount()
  const id = await createCheck(owner)
  const ids: string[] = []
  for (const alert of alerts) {
    ids.push(await insertAlert(api.store.db, { account_id: owner.accountId, check_id: id, ...alert }))
  }
  const paths = ['/v1/check-alerts', `/v1/check-alerts/${id}`]
  return { owner, checkId: id, ids, paths }
}

describe.each([
  ['/v1/check-alerts', () => '/v1/check-alerts'],
  ['/v1/check-alerts/{checkId}', () => `/v1/check-alerts/${checkId}`],
])('GET %s', (_, path) => {
  it.each(['', '?limit=100&page=3', `?from=${now / 1000 - 600}`, `?to=${now / 1000}`])(
    '200: a page of none%s',
    async (query) => {
      const { status, body, headers } = await api.alice.get(path() + query)
      expect([status, body]).toEqual([200, []])
      expect(headers.get('content-range')).toBe('items */0')
    },
  )

  it.each([
    ['limit=0&page=x', ['limit', 'page']],
    ['from=2026-11-15', ['from']],
    [`from=${now}`, ['from']],
    [`to=${new Date(now).toISOString()}`, ['to']],
    [`from=${now / 1000}&to=${now / 1000}`, ['to']],
    [`from=${now / 1000}&to=${now / 1000 + 6 * 3_600 + 1}`, ['to']],
    [`from=${now / 1000}&to=${(now + 6 * hour + 1) / 1000}`, ['to']],
  ])('400: %s', async (query, wrong) => {
    const { status, body } = await api.alice.get(`${path()}?${query}`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, wrong])
  })
})

describe('GET /v1/check-alerts and GET /v1/check-alerts/{checkId}', () => {
  it('200: an alert with every field', async () => {
    const alert = { at: now - hour, status_code: 503, response_time: 87.5, error: 'Expected 200, got 503' }
    const started_at = new Date(now - hour - 2000)
    const {
      owner,
      checkId: id,
      ids,
      paths,
    } = await ownerWith([{ ...alert, name: 'Its old name', started_at }])
    for (const path of paths) {
      expect((await owner.get(path)).body).toEqual([
        {
          id: ids[0],
          name: 'Its old name',
          checkId: id,
          alertType: 'ALERT_FAILURE',
          checkType: 'API',
          runLocation: 'eu-west-1',
          ranAt: null,
          responseTime: 87.5,
          error: 'Expected 200, got 503',
          statusCode: '503',
          created_at: '2026-11-15T11:00:00.000Z',
          startedAt: '2026-11-15T10:59:58.000Z',
        },
      ])
    }
  })

  it('200: a missing time is 0, and only HTTP checks have a status', async () => {
    const { owner, paths } = await ownerWith([
      { at: now - 1, check_type: 'URL', status_code: 200, error: null },
      { at: now - 2, check_type: 'API', status_code: null, response_time: null },
      { at: now - 3, check_type: 'TCP', status_code: 200 },
    ])
    for (const path of paths) {
      const { body } = await owner.get(path)
      expect(
        body.map((alert: Record<string, unknown>) => [alert.statusCode, alert.responseTime, alert.error]),
      ).toEqual([
        ['200', 120, null],
        [null, 0, 'connection refused'],
        [null, 120, 'connection refused'],
      ])
    }
  })

  it('200: all types there are, what was held back included', async () => {
    const { owner, paths } = await ownerWith(
      alertTypes.map((alert_type, index) => ({
        at: now - 1 - index,
        alert_type,
        kind: alert_type === 'NO_ALERT' ? null : 'failure',
      })),
    )
    for (const path of paths) {
      const { body } = await owner.get(`${path}?limit=100`)
      expect(body.map(({ alertType }: { alertType: string }) => alertType)).toEqual([...alertTypes])
    }
  })

  it.each<[string, number | undefined, number | undefined, number, number]>([
    ['neither: the last 6 hours', undefined, undefined, now - 6 * hour, now],
    ['from: 6 hours from there', now - 20 * hour, undefined, now - 20 * hour, now - 14 * hour],
    ['to: since 6 hours before now', undefined, now - hour, now - 6 * hour, now - hour],
    ['exactly 6 hours', now - 9 * hour, now - 3 * hour, now - 9 * hour, now - 3 * hour],
    ['a millisecond', now - 9, now - 8, now - 9, now - 8],
  ])(
    '200: an alert at the beginning of the window is in it, one at its end is not (%s)',
    async (_, from, to, begin, end) => {
      const { owner, ids, paths } = await ownerWith([begin - 1, begin, end - 1, end].map((at) => ({ at })))
      const query = queryOf({ from, to })
      for (const path of paths) {
        const { status, body, headers } = await owner.get(`${path}?${query}`)
        expect(status).toBe(200)
        const inside = end - begin === 1 ? [ids[1], ids[2]].sort() : [ids[2], ids[1]]
        expect(body.map(({ id }: { id: string }) => id)).toEqual(inside)
        expect(headers.get('content-range')).toBe('items 0-1/2')
      }
    },
  )

  it('200: pages, newest first, with the total of the window', async () => {
    const times = Array.from({ length: 12 }, (_, index) => now - (12 - index) * 60_000)
    const { owner, ids, paths } = await ownerWith([{ at: now - 7 * hour }, ...times.map((at) => ({ at }))])
    const expected = ids.slice(1).reverse()
    for (const path of paths) {
      const pages = await Promise.all(
        ['', '?page=2', '?page=3', '?limit=5&page=3'].map((q) => owner.get(path + q)),
      )
      const found = pages.map(({ body }) => body.map(({ id }: { id: string }) => id))
      expect(found).toEqual([expected.slice(0, 10), expected.slice(10), [], expected.slice(10)])
      expect(pages.map(({ headers }) => headers.get('content-range'))).toEqual([
        'items 0-9/12',
        'items 10-11/12',
        'items */12',
        'items 10-11/12',
      ])
    }
  })

  it('200: a check has only its own, and an account only those of its checks', async () => {
    const { owner, ids } = await ownerWith([{ at: now - 1 }])
    const other = await createCheck(owner)
    expect((await owner.get(`/v1/check-alerts/${other}`)).body).toEqual([])
    const [alert] = (await owner.get('/v1/check-alerts')).body
    expect(alert.id).toBe(ids[0])
    expect((await api.bob.get('/v1/check-alerts')).body).toEqual([])
  })

  it('404: a check of another account, or an unknown one', async () => {
    expect((await api.bob.get(`/v1/check-alerts/${checkId}`)).status).toBe(404)
    expect((await api.alice.get('/v1/check-alerts/2f9a3f3e-6d52-4b7d-9a43-0d1c6b0f8c11')).status).toBe(404)
  })
})

/** Instants as the query has them. */
function queryOf(instants: Record<string, number | undefined>): string {
  const given = Object.entries(instants).filter(([, ms]) => ms !== undefined)
  return given.map(([name, ms]) => `${name}=${Number(ms) / 1000}`).join('&')
}
