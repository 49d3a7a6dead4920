import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults } from '../testing/results.ts'
import { type AnalysesOptions, runAnalyses } from './run-analyses.ts'
import { failures, httpDetail } from './run-details.fixture.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
let now = noon

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const turn = (over: Partial<AnalysesOptions> = {}) =>
  runAnalyses({ ...api, publicUrl: 'http://vedette.test', model: null, now: () => now, ...over })

async function newCheck(owner: Caller): Promise<string> {
  return (await owner.post('/v1/checks/api', checkTypes.API.example)).body.id
}

async function fail(
  owner: Caller,
  checkId: string,
  message: string = failures.refused.message,
): Promise<void> {
  const failure = { ...failures.refused, message }
  const result = { accountId: owner.accountId, checkId, scheduledAt: now, hasFailures: true, failure }
  await insertResults(api.store, [{ ...result, detail: httpDetail({ failure, tls: null }) }], now)
}

const stored = async (owner: Caller) =>
  (
    await api.store.pool.query(
      'select id, status, attempts, is_automatic, analysis from root_cause_analyses where account_id = $1 order by created_at',
      [owner.accountId],
    )
  ).rows

async function ask(owner: Caller): Promise<void> {
  await fail(owner, await newCheck(owner))
  const [group] = (await owner.get('/v1/error-groups')).body
  expect((await owner.post(`/v1/root-cause-analyses/error-groups/${group.id}`)).status).toBe(202)
}

describe('automatic analyses', () => {
  it('are created once per new error group, if enabled for the account', async () => {
    const owner = await api.newAccount()
    const checkId = await newCheck(owner)
    await fail(owner, checkId, 'before it was wanted')
    expect(await stored(owner)).toEqual([])
    await owner.patch('/v1/accounts/me', { settings: { automaticRootCauseAnalysis: true } })
    now += minute
    await fail(owner, checkId)
    expect(await stored(owner)).toEqual([expect.objectContaining({ status: 'PENDING', is_automatic: true })])
    now += minute
    await fail(owner, checkId)
    const [group] = (await owner.get('/v1/error-groups')).body
    await owner.patch(`/v1/error-groups/${group.id}`, { archivedUntilNextEvent: true })
    now += minute
    await fail(owner, checkId)
    expect((await owner.get(`/v1/error-groups/${group.id}`)).body.archivedUntilNextEvent).toBe(false)
    expect(await stored(owner)).toHaveLength(1)
    expect(await turn()).toBe(1)
    const [{ analysis }] = (await owner.get(`/v1/error-groups/${group.id}`)).body.rootCauseAnalyses
    expect(analysis.classification).toBe('INFRASTRUCTURE_ERROR')
  })

  it('are not created without the entitlement', async () => {
    const owner = await api.newAccount('hobby')
    await owner.patch('/v1/accounts/me', { settings: { automaticRootCauseAnalysis: true } })
    await fail(owner, await newCheck(owner))
    expect(await stored(owner)).toEqual([])
  })
})

describe('the loop', () => {
  it('completes each analysis once, with any number of servers', async () => {
    const owner = await api.newAccount()
    const checkId = await newCheck(owner)
    for (const message of ['refused by alice', 'refused by bob', 'refused by carol'])
      await fail(owner, checkId, message)
    for (const { id } of (await owner.get('/v1/error-groups')).body) {
      await owner.post(`/v1/root-cause-analyses/error-groups/${id}`)
    }
    const counts = await Promise.all([turn({ limit: 2 }), turn({ limit: 2 }), turn({ limit: 2 })])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
    for (const row of await stored(owner)) expect(row).toMatchObject({ status: 'COMPLETED', attempts: 1 })
    expect(await turn()).toBe(0)
  })

  it('retries a failing one, and completes it as unknown after three attempts, with the reason', async () => {
    const owner = await api.newAccount()
    await ask(owner)
    const broken = {
      ...api.vault,
      unseal: () => {
        throw new Error('the key is another one')
      },
    }
    await owner.post('/v1/variables', { key: 'TOKEN', value: 'hunter2-secret', secret: true })
    const errors: unknown[] = []
    const options = { vault: broken, onError: (error: unknown) => errors.push(error) }
    expect(await turn(options)).toBe(1)
    expect(await turn(options)).toBe(0)
    now += minute
    expect(await turn(options)).toBe(1)
    now += 2 * minute
    expect(await turn(options)).toBe(1)
    expect(errors).toHaveLength(3)
    expect(await stored(owner)).toMatchObject([
      {
        status: 'COMPLETED',
        analysis: {
          classification: 'UNKNOWN_ERROR',
          rootCause: 'The cause is unknown: the analysis itself failed 3 times.',
        },
      },
    ])
    now += 10 * minute
    expect(await turn(options)).toBe(0)
  })

  it('takes over analyses of a server that died, and gives up after three attempts', async () => {
    const owner = await api.newAccount()
    await ask(owner)
    const [{ id }] = await stored(owner)
    const died =
      'update root_cause_analyses set attempts = $2, due_at = to_timestamp($3 / 1000.0) where id = $1'
    await api.store.pool.query(died, [id, 1, now + 2 * minute])
    expect(await turn()).toBe(0)
    now += 2 * minute
    expect(await turn()).toBe(1)
    expect(await stored(owner)).toMatchObject([{ status: 'COMPLETED', attempts: 2 }])
    const other = await api.newAccount()
    await ask(other)
    const [waiting] = await stored(other)
    await api.store.pool.query(died, [waiting.id, 3, now])
    expect(await turn()).toBe(1)
    expect(await stored(other)).toMatchObject([
      { status: 'COMPLETED', analysis: { classification: 'UNKNOWN_ERROR' } },
    ])
  })

  it('reports that no run of the group is stored anymore', async () => {
    const owner = await api.newAccount()
    await ask(owner)
    await api.store.pool.query('delete from results where account_id = $1', [owner.accountId])
    await turn()
    expect(await stored(owner)).toMatchObject([
      {
        analysis: {
          classification: 'UNKNOWN_ERROR',
          rootCause: expect.stringContaining('no run of this error group is stored'),
        },
      },
    ])
  })
})
