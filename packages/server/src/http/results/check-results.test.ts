import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
const hour = 60 * minute
const seconds = (ms: number) => ms / 1000

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

async function newCheck(): Promise<string> {
  const response = await api.alice.post('/v1/checks/api', checkTypes.API.example)
  expect(response.status).toBe(201)
  return response.body.id
}

function insert(checkId: string, results: Omit<SomeResult, 'accountId' | 'checkId'>[]): Promise<string[]> {
  const whole = results.map((result) => ({ ...result, checkId, accountId: api.alice.accountId }))
  return insertResults(api.store, whole, now)
}

const idsOf = (entries: { id: string }[]) => entries.map(({ id }) => id)

describe('GET /v1/check-results/{checkId}', () => {
  it('200: the last 6 hours, the newest first, and nothing of before', async () => {
    const checkId = await newCheck()
    const ids = await insert(checkId, [
      { scheduledAt: now - 7 * hour },
      { scheduledAt: now - 5 * hour },
      { scheduledAt: now - minute },
      { scheduledAt: now - 2 * hour },
    ])
    const { status, body, headers } = await api.alice.get(`/v1/check-results/${checkId}`)
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual([ids[2], ids[3], ids[1]])
    expect(headers.get('content-range')).toBe('items 0-2/3')
  })

  it('200: from is in the window, to is not', async () => {
    const checkId = await newCheck()
    const startedAt = now - hour
    const [id] = await insert(checkId, [{ scheduledAt: startedAt - 50, startedAt }])
    const path = `/v1/check-results/${checkId}`
    expect(idsOf((await api.alice.get(`${path}?from=${seconds(startedAt)}`)).body)).toEqual([id])
    expect((await api.alice.get(`${path}?to=${seconds(startedAt)}`)).body).toEqual([])
  })

  it('200: a run that began long after its slot, or by a clock just before it, is in one window', async () => {
    const checkId = await newCheck()
    const late = { scheduledAt: now - 100 * minute, startedAt: now - minute }
    const early = { scheduledAt: now - 2 * minute + 900, startedAt: now - 2 * minute - 100 }
    const ids = await insert(checkId, [late, early])
    const path = `/v1/check-results/${checkId}`
    const border = seconds(now - 2 * minute)
    expect(idsOf((await api.alice.get(`${path}?from=${border}`)).body)).toEqual([ids[0]])
    expect(idsOf((await api.alice.get(`${path}?to=${border}`)).body)).toEqual([ids[1]])
  })

  it('200: pages, with the total in Content-Range', async () => {
    const checkId = await newCheck()
    const times = [1, 2, 3, 4, 5].map((count) => ({ scheduledAt: now - count * minute }))
    const ids = await insert(checkId, times)
    const { body, headers } = await api.alice.get(`/v1/check-results/${checkId}?limit=2&page=2`)
    expect(idsOf(body)).toEqual(ids.slice(2, 4))
    expect(headers.get('content-range')).toBe('items 2-3/5')
  })

  it('200: attempts of one run only when asked for', async () => {
    const checkId = await newCheck()
    const runId = '7d4b4f3e-6d52-4b7d-9a43-0d1c6b0f8c11'
    const run = { scheduledAt: now - minute, runId, hasFailures: true }
    const [first, second] = await insert(checkId, [
      { ...run, attempt: 1, resultType: 'ATTEMPT' },
      { ...run, attempt: 2, startedAt: now - 30_000 },
    ])
    const list = async (query: string) => (await api.alice.get(`/v1/check-results/${checkId}${query}`)).body
    expect(idsOf(await list(''))).toEqual([second])
    expect(idsOf(await list('?resultType=ATTEMPT'))).toEqual([first])
    const all = await list('?resultType=ALL')
    expect(all).toMatchObject([
      { id: second, sequenceId: runId, attempts: 2, resultType: 'FINAL' },
      { id: first, sequenceId: runId, attempts: 1, resultType: 'ATTEMPT' },
    ])
  })

  it.each([
    ['location=eu-west-1', ['passed']],
    ['location=office', ['failed']],
    ['location=nowhere', []],
    ['hasFailures=true', ['failed']],
    ['hasFailures=false', ['passed']],
    ['checkType=API', ['failed', 'passed']],
    ['checkType=URL', []],
    ['hasFailures=true&location=eu-west-1', []],
  ])('200: %s', async (query, expected) => {
    const checkId = await newCheck()
    const [passed, failed] = await insert(checkId, [
      { scheduledAt: now - 2 * minute },
      { scheduledAt: now - minute, hasFailures: true, location: 'office' },
    ])
    const names: Record<string, string | undefined> = { passed, failed }
    const wanted = expected.map((name) => names[name])
    expect(idsOf((await api.alice.get(`/v1/check-results/${checkId}?${query}`)).body)).toEqual(wanted)
    expect(idsOf((await api.alice.get(`/v2/check-results/${checkId}?${query}`)).body.entries)).toEqual(wanted)
  })

  it.each([
    ['from=1&to=0', ['to']],
    [`from=${seconds(now)}&to=${seconds(now + 7 * hour)}`, ['to']],
    [`from=${now}`, ['from']],
    ['from=yesterday&to=-1', ['from', 'to']],
    ['limit=0&page=0&resultType=SOME&checkType=FTP&hasFailures=maybe', null],
  ])('400: %s', async (query, wrong) => {
    const { status, body } = await api.alice.get(`/v1/check-results/${await newCheck()}?${query}`)
    expect(status).toBe(400)
    const fields = wrong ?? ['checkType', 'hasFailures', 'limit', 'page', 'resultType']
    expect(Object.keys(body.attributes).sort()).toEqual(fields)
  })

  it('200: the last instant that can be asked for', async () => {
    const { status, body } = await api.alice.get(`/v1/check-results/${await newCheck()}?to=253402300799`)
    expect([status, body]).toEqual([200, []])
  })

  it('404: a check of another account', async () => {
    const checkId = await newCheck()
    await insert(checkId, [{ scheduledAt: now - minute }])
    for (const path of [`/v1/check-results/${checkId}`, `/v2/check-results/${checkId}`]) {
      expect((await api.bob.get(path)).status).toBe(404)
    }
  })
})

const observed = {
  response: { status: 500, statusText: 'No', body: '', headers: {}, timings: {}, timingPhases: {} },
}

describe('GET /v2/check-results/{checkId}', () => {
  it('200: 10 at a time by cursor, each once, also when others come in between', async () => {
    const checkId = await newCheck()
    const slots = Array.from({ length: 12 }, (_, index) => now - (index + 1) * 24 * hour)
    const parallel = slots.flatMap((scheduledAt) => [
      { scheduledAt, location: 'eu-west-1' },
      { scheduledAt, location: 'us-east-1' },
    ])
    const ids = await insert(checkId, parallel)
    const seen: string[] = []
    let nextId: string | null = ''
    for (const length of [10, 10, 4]) {
      const page: { entries: { id: string }[]; nextId: string | null } = (
        await api.alice.get(`/v2/check-results/${checkId}?nextId=${nextId}`)
      ).body
      expect(page).toMatchObject({ length, nextId: length === 10 ? expect.any(String) : null })
      seen.push(...idsOf(page.entries))
      nextId = page.nextId
      await insert(checkId, [{ scheduledAt: now - minute }])
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })

  it('200: from and to without a limit between them', async () => {
    const checkId = await newCheck()
    const days = [1, 10, 20].map((count) => ({ scheduledAt: now - count * 24 * hour }))
    const ids = await insert(checkId, days)
    const list = async (query: string) =>
      idsOf((await api.alice.get(`/v2/check-results/${checkId}?${query}`)).body.entries)
    expect(await list('')).toEqual(ids)
    expect(await list(`from=${seconds(now - 15 * 24 * hour)}`)).toEqual(ids.slice(0, 2))
    expect(await list(`to=${seconds(now - 5 * 24 * hour)}`)).toEqual(ids.slice(1))
  })

  it('200: only the fields that are asked for', async () => {
    const checkId = await newCheck()
    const [id] = await insert(checkId, [{ scheduledAt: now - minute, detail: { observed } }])
    const list = async (fields: string) =>
      (await api.alice.get(`/v2/check-results/${checkId}?fields=${fields}`)).body.entries
    expect(await list('id,resultType')).toEqual([{ id, resultType: 'FINAL' }])
    const [entry] = await list('apiCheckResult')
    expect(Object.keys(entry)).toEqual(['apiCheckResult'])
    expect(entry.apiCheckResult.response.status).toBe(500)
    const [whole] = (await api.alice.get(`/v2/check-results/${checkId}`)).body.entries
    expect(whole).toEqual((await api.alice.get(`/v1/check-results/${checkId}/${id}`)).body)
  })

  it.each(['fields=id,secret', 'limit=101', 'nextId=nonsense', `nextId=${'a'.repeat(201)}`, 'from=x'])(
    '400: %s',
    async (query) => {
      const { status, body } = await api.alice.get(`/v2/check-results/${await newCheck()}?${query}`)
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)[0]).toMatch(new RegExp(`^${query.split('=')[0]}`))
    },
  )
})

describe('429', () => {
  it('is the response to the sixth list within 10 seconds on a hosted plan, and not to reading one result', async () => {
    const strict = await startTestApi({ RATE_LIMIT_FACTOR: '1' }, { now: () => now })
    try {
      const tenant = await strict.newAccount('team')
      const { body } = await tenant.post('/v1/checks/api', { ...checkTypes.API.example })
      for (const version of ['v1', 'v2']) {
        const statuses: number[] = []
        for (let call = 0; call < 6; call++) {
          statuses.push((await tenant.get(`/${version}/check-results/${body.id}`)).status)
        }
        expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
      }
      const one = `/v1/check-results/${body.id}/5c9d3f3e-6d52-7b7d-9a43-0d1c6b0f8c11`
      expect((await tenant.get(one)).status).toBe(404)
    } finally {
      await strict.close()
    }
  })
})
