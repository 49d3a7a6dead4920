// Details of passing runs from the report to their retention, and what the API responds afterwards.
import { checkTypes } from '@vedette/contracts'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listPassesOf } from '../storage/results/failure-evidence.ts'
import { listLatestDetails } from '../storage/results/result-details.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { enforceRetention } from './retention.ts'

const minute = 60_000
const day = 86_400_000
const now = Date.UTC(2026, 10, 15, 12)
const threeDaysAgo = now - 3 * day
const limits = { RESULT_RETENTION_DAYS: 30, DETAIL_RETENTION_DAYS: 7, ROLLUP_RETENTION_MONTHS: 25 }

let api: TestApi
let checkId: string
let ids: string[]
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  const { body, status, text } = await api.alice.post('/v1/checks/api', {
    ...checkTypes.API.example,
    frequency: 10,
  })
  expect(status, text).toBe(201)
  checkId = body.id
  await api.store.pool.query("update checks set created_at = '2026-11-01', updated_at = null where id = $1", [
    checkId,
  ])
  ids = []
  for (const [index, result] of runs.entries()) {
    const scheduledAt = threeDaysAgo + index * minute
    ids.push(...(await insert([{ scheduledAt, ...result, detail: detailOf(index) }])))
  }
})
afterAll(() => api.close())

const failure = { kind: 'assertion', message: 'status is 500', phase: 'assertions' } as const
const failed = { hasFailures: true, failure, statusCode: 500 }
/** The first run, an ordinary pass, a failure, the recovery, an ordinary pass, a failure. */
const runs: Partial<SomeResult>[] = [{}, {}, failed, {}, {}, failed]
const keptRuns = [0, 2, 3, 5]

function detailOf(index: number) {
  const response = { status: 200, statusText: 'OK', headers: {}, body: `run ${index}` }
  return { observed: { response } }
}

async function insert(results: Omit<SomeResult, 'accountId' | 'checkId'>[]): Promise<string[]> {
  const whole = results.map((result) => ({ ...result, checkId, accountId: api.alice.accountId }))
  return insertResults(api.store, whole, undefined, 0)
}

async function runsIn(table: string): Promise<number[]> {
  const { rows } = await api.store.pool.query<{ at: string }>(
    `select scheduled_at as at from ${table} where check_id = $1 and scheduled_at < $2 order by 1`,
    [checkId, new Date(threeDaysAgo + day)],
  )
  return rows.map(({ at }) => (Date.parse(at) - threeDaysAgo) / minute)
}

interface WithEvidence {
  apiCheckResult: { response: { body: string } } | null
}
const bodyIn = ({ apiCheckResult }: WithEvidence) => apiCheckResult?.response?.body ?? null

async function readBodies(): Promise<(string | null)[]> {
  const bodies: (string | null)[] = []
  for (const id of ids) {
    const { status, body, text } = await api.alice.get(`/v1/check-results/${checkId}/${id}`)
    expect(status, text).toBe(200)
    bodies.push(bodyIn(body))
  }
  return bodies
}

const all = runs.map((_, index) => `run ${index}`)
const kept = all.map((text, index) => (keptRuns.includes(index) ? text : null))
const of = () => ({ accountId: api.alice.accountId, checkId })
const span = { from: threeDaysAgo, to: now }

describe('details of passing runs', () => {
  it('are stored apart from those that are kept for longer than a day', async () => {
    expect(await runsIn('result_details')).toEqual(keptRuns)
    expect(await runsIn('unsampled_details')).toEqual([1, 4])
  })

  it('are all in responses on the first day', async () => {
    expect(await readBodies()).toEqual(all)
    const window = `from=${threeDaysAgo / 1000}&to=${threeDaysAgo / 1000 + 3600}`
    const newestFirst = all.toReversed()
    const list = await api.alice.get(`/v1/check-results/${checkId}?${window}`)
    expect(list.body.map(bodyIn)).toEqual(newestFirst)
    const ofAccount = await api.alice.get(`/v2/check-results?${window}`)
    expect(ofAccount.body.entries.map(bodyIn)).toEqual(newestFirst)
    const latest = await listLatestDetails(api.store.pool, { ...of(), ...span, limit: 3 })
    expect(latest.map((text) => JSON.parse(text).observed.response.body)).toEqual(newestFirst.slice(0, 3))
    const comparison = await api.alice.get(`/v1/check-results/${checkId}/${ids[5]}/comparison`)
    expect(comparison.body.passingResultId).toBe(ids[4])
  })

  it('are those of the sample afterwards; other results stay without them, and failures keep theirs', async () => {
    const [, yesterday] = await insert([
      { scheduledAt: now - day, detail: detailOf(6) },
      { scheduledAt: now - day + minute, detail: detailOf(7) },
    ])
    await enforceRetention(api.store.pool, limits, now, pino({ level: 'silent' }))
    expect(await runsIn('result_details')).toEqual(keptRuns)
    expect(await runsIn('unsampled_details')).toEqual([])
    expect(await readBodies()).toEqual(kept)
    const expired = await api.alice.get(`/v1/check-results/${checkId}/${ids[1]}`)
    expect(expired.body).toMatchObject({
      id: ids[1],
      hasFailures: false,
      responseTime: 120,
      apiCheckResult: null,
    })
    expect((await api.bob.get(`/v1/check-results/${checkId}/${ids[1]}`)).status).toBe(404)
    const { body } = await api.alice.get(`/v1/check-results/${checkId}/${yesterday}`)
    expect(bodyIn(body)).toBe('run 7')
  })

  it('are compared with: the last pass that still has some', async () => {
    const { body } = await api.alice.get(`/v1/check-results/${checkId}/${ids[5]}/comparison`)
    expect(body.passingResultId).toBe(ids[3])
    const passes = await listPassesOf(api.store.db, of(), { ...span, to: threeDaysAgo + day }, { limit: 5 })
    expect(passes.map(({ id }) => id)).toEqual([ids[4], ids[3], ids[1], ids[0]])
    const withDetail = await listPassesOf(
      api.store.db,
      of(),
      { ...span, to: threeDaysAgo + day },
      { limit: 5, isKept: true },
    )
    expect(withDetail.map(({ id }) => id)).toEqual([ids[3], ids[0]])
    expect(withDetail.every(({ detail }) => detail !== null)).toBe(true)
  })
})
