import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function newCheck(caller: Caller, name: string): Promise<string> {
  return (await caller.post('/v1/checks/api', { ...checkTypes.API.example, name })).body.id
}

function insert(caller: Caller, checkId: string, result: Partial<SomeResult>): Promise<string[]> {
  const whole = { scheduledAt: now, ...result, checkId, accountId: caller.accountId } as SomeResult
  return insertResults(api.store, [whole], whole.scheduledAt + 1_000)
}

describe('GET /v1/check-statuses', () => {
  it('200: of every check, in the order of the checks, for any number of checks', async () => {
    const owner = await api.newAccount()
    const names = Array.from({ length: 12 }, (_, index) => `check ${index}`)
    const ids: string[] = []
    for (const name of names) ids.push(await newCheck(owner, name))
    for (const checkId of ids) await insert(owner, checkId, {})
    await newCheck(owner, 'never ran')
    const { status, body } = await owner.get('/v1/check-statuses?limit=1')
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['never ran', ...names.toReversed()])
    expect(body[0]).toMatchObject({
      state: 'unknown',
      reason:
        'No agent has run this check yet: the locations Frankfurt and N. Virginia have no connected agent.',
      lastState: null,
      lastRunAt: null,
      hasFailures: false,
      lastCheckRunId: null,
    })
    const listed = (await owner.get('/v1/checks?limit=100')).body.map(({ id }: { id: string }) => id)
    expect(body.map(({ checkId }: { checkId: string }) => checkId)).toEqual(listed)
  })

  it('200: another account has its own', async () => {
    await insert(api.alice, await newCheck(api.alice, 'hers'), {})
    expect((await api.bob.get('/v1/check-statuses')).body).toEqual([])
  })
})

describe('GET /v1/check-statuses/{checkId}', () => {
  it('200: as its last run left it', async () => {
    const checkId = await newCheck(api.alice, 'Shop')
    const path = `/v1/check-statuses/${checkId}`
    await insert(api.alice, checkId, { responseTimeMs: 300, sslDaysRemaining: 30 })
    const first = {
      name: 'Shop',
      checkId,
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      longestRun: 300,
      shortestRun: 300,
      lastRunLocation: 'eu-west-1',
      ranAt: null,
      lastCheckRunId: String(now),
      sslDaysRemaining: 30,
      created_at: new Date(now + 1_000).toISOString(),
      updated_at: null,
    }
    expect(await api.alice.get(path)).toMatchObject({ status: 200, body: first })
    const failed = { scheduledAt: now + minute, location: 'office', hasFailures: true, responseTimeMs: 100 }
    await insert(api.alice, checkId, failed)
    const { body } = await api.alice.get(path)
    expect(body).toMatchObject({
      ...first,
      hasFailures: true,
      shortestRun: 100,
      lastRunLocation: 'office',
      lastCheckRunId: String(now + minute),
      updated_at: new Date(now + minute + 1_000).toISOString(),
    })
    expect((await api.alice.get('/v1/check-statuses')).body).toContainEqual(body)
  })

  it('200: heartbeat monitors have no location', async () => {
    const checkId = await newCheck(api.alice, 'Backup')
    await insert(api.alice, checkId, { location: '' })
    expect((await api.alice.get(`/v1/check-statuses/${checkId}`)).body.lastRunLocation).toBeNull()
  })

  it('200: of a check that never ran, with the state unknown', async () => {
    const checkId = await newCheck(api.alice, 'Shop')
    const { status, body } = await api.alice.get(`/v1/check-statuses/${checkId}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'unknown', lastState: null, updated_at: null })
    expect(body.created_at).toBe(body.since)
  })

  it('404: for a deleted check, and one of another account', async () => {
    const checkId = await newCheck(api.alice, 'Shop')
    await insert(api.alice, checkId, {})
    expect((await api.bob.get(`/v1/check-statuses/${checkId}`)).status).toBe(404)
    expect((await api.alice.delete(`/v1/checks/${checkId}`)).status).toBe(204)
    expect((await api.alice.get(`/v1/check-statuses/${checkId}`)).status).toBe(404)
  })
})

describe('GET /v1/checks?status=', () => {
  it('200: checks by the status that their last run left', async () => {
    const owner = await api.newAccount()
    const outcomes: Record<string, Partial<SomeResult>> = {
      passed: {},
      failed: { hasFailures: true },
      slow: { isDegraded: true },
      'our error': { hasErrors: true },
    }
    await newCheck(owner, 'never ran')
    for (const [name, result] of Object.entries(outcomes))
      await insert(owner, await newCheck(owner, name), result)
    const names = async (query: string) => {
      const { body, headers } = await owner.get(`/v1/checks?${query}`)
      expect(headers.get('content-range')).toMatch(new RegExp(`/${body.length}$`))
      return body.map(({ name }: { name: string }) => name)
    }
    expect(await names('status=passing')).toEqual(['our error', 'passed'])
    expect(await names('status=failing')).toEqual(['failed'])
    expect(await names('status=degraded')).toEqual(['slow'])
    expect(await names('status=passing&search=our')).toEqual(['our error'])
    expect((await api.bob.get('/v1/checks?status=failing')).body).toEqual([])
  })
})
