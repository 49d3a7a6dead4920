import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const minute = 60_000

it('200, 400, 404: has the durations of tests and steps of a check, and which are flaky', async () => {
  const { body: check } = await api.alice.post('/v1/checks/browser', checkTypes.BROWSER.example)
  const now = Date.now()
  const step = { title: 'enters the card', duration: 200, hasFailed: false }
  const run = (age: number, tests: unknown, more: object = {}) => ({
    ...{ accountId: api.alice.accountId, checkId: check.id, checkType: 'BROWSER' as const },
    ...{ scheduledAt: now - age * minute, detail: { observed: { tests } }, ...more },
  })
  const pays = (outcome: string, duration: number) => ({
    ...{ titlePath: ['', 'check.spec.ts', 'shop', 'pays'], outcome, duration, steps: [step] },
  })
  const [, , lastId] = await insertResults(api.store, [
    run(30, [pays('expected', 900)]),
    run(20, [pays('flaky', 1200), null, { title: 5 }, { title: 'opens', outcome: 'expected' }]),
    run(10, [pays('expected', 800)]),
    run(5, 'no tests', { isCancelled: true }),
  ])
  const path = `/v1/checks/${check.id}/tests`
  const { status, body } = await api.alice.get(path)
  expect(status).toBe(200)
  expect(body).toMatchObject({ runs: 3, hasMore: false, total: 2 })
  expect(Date.parse(body.since)).toBe(now - 30 * minute + 50)
  expect(body.tests[0]).toMatchObject({
    ...{ title: 'shop › pays', file: null, runs: 3, passed: 2, flaky: 1, failed: 0, durationP50: 900 },
    steps: [{ title: 'enters the card', runs: 3, failed: 0, durationP50: 200, durationP95: 200 }],
  })
  expect(body.tests[0].lastRuns.at(-1)).toMatchObject({ resultId: lastId, outcome: 'passed', duration: 800 })
  expect(body.tests[1]).toMatchObject({ title: 'opens', runs: 1, durationP50: null })
  const from = Math.floor(now / 1000)
  expect((await api.alice.get(`${path}?from=${from - 15 * 60}`)).body).toMatchObject({ runs: 1, total: 1 })
  expect((await api.alice.get(`${path}?from=${from}&to=${from}`)).status).toBe(400)
  expect((await api.bob.get(path)).status).toBe(404)
})

it('200: says that there is more evidence than it reads', async () => {
  const { body: check } = await api.alice.post('/v1/checks/multistep', checkTypes.MULTI_STEP.example)
  const tests = [{ title: 'opens', outcome: 'expected', duration: 5, note: 'x'.repeat(3_000_000) }]
  await insertResults(
    api.store,
    [1, 2, 3].map((age) => ({
      ...{ accountId: api.alice.accountId, checkId: check.id, checkType: 'MULTI_STEP' as const },
      ...{ scheduledAt: Date.now() - age * minute, detail: { observed: { tests } } },
    })),
  )
  const { body } = await api.alice.get(`/v1/checks/${check.id}/tests`)
  expect(body).toMatchObject({ runs: 2, hasMore: true, total: 1, tests: [{ runs: 2 }] })
})

it('200: other checks have none', async () => {
  const { body: check } = await api.alice.post('/v1/checks/url', checkTypes.URL.example)
  const { status, body } = await api.alice.get(`/v1/checks/${check.id}/tests`)
  expect(status).toBe(200)
  expect(body).toEqual({ runs: 0, since: null, hasMore: false, total: 0, tests: [] })
})
