import { randomUUID } from 'node:crypto'
import { checkTypes, type RunDetail } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findLatestAnalysis } from '../storage/results/root-cause-analyses.ts'
import { type Caller, startTestApi, type TestApi } from '../testing/api.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { createTestSession } from '../testing/sessions.ts'
import { type AnalysesOptions, runAnalyses } from './run-analyses.ts'
import {
  dnsDetail,
  failures,
  httpDetail,
  scriptDetail,
  statusFailure,
  tlsOf,
  totalAssertion,
} from './run-details.fixture.ts'

const noon = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
let now = noon + 30 * minute

let api: TestApi
let owner: Caller
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const follow = (link: string) => api.nobody.get(link.replace('http://vedette.test', ''))

const turn = (over: Partial<AnalysesOptions> = {}) =>
  runAnalyses({ ...api, publicUrl: 'http://vedette.test', model: null, now: () => now, ...over })

async function newCheck(type: 'API' | 'DNS' = 'API'): Promise<string> {
  owner = await api.newAccount()
  const path = type === 'API' ? '/v1/checks/api' : '/v1/checks/dns'
  const created = await owner.post(path, checkTypes[type].example)
  expect(created.status, created.text).toBe(201)
  // Created long before its runs, so that the creation doesn't count as a change.
  await api.store.pool.query(`update checks set created_at = '2026-11-01' where id = $1`, [created.body.id])
  return created.body.id
}

/** The report of an agent, some minutes after noon. */
function reported(
  checkId: string,
  minutes: number,
  detail: RunDetail | null,
  over: Partial<SomeResult> = {},
): SomeResult {
  const observed = detail?.observed as {
    response?: { status?: number; timingPhases?: Record<string, number> }
  } | null
  const {
    total = null,
    wait = null,
    dns = null,
    tcp = null,
    firstByte = null,
    download = null,
  } = observed?.response?.timingPhases ?? {}
  return {
    accountId: owner.accountId,
    checkId,
    scheduledAt: noon + minutes * minute,
    hasFailures: detail?.failure != null,
    failure: detail?.failure ?? null,
    statusCode: observed?.response?.status ?? null,
    responseTimeMs: total,
    metrics: [total, wait, dns, tcp, firstByte, download],
    detail,
    ...over,
  }
}

async function analyzed(checkId: string, body?: object) {
  const [group] = (await owner.get(`/v1/error-groups/checks/${checkId}`)).body
  const asked = await owner.post(`/v1/root-cause-analyses/error-groups/${group.id}`, body)
  expect([asked.status, asked.body]).toEqual([202, { id: expect.any(String), status: 'PENDING' }])
  const pending = await owner.get(`/v1/root-cause-analyses/${asked.body.id}`)
  expect([pending.status, pending.body]).toEqual([202, asked.body])
  expect(await turn()).toBe(1)
  const done = await owner.get(`/v1/root-cause-analyses/${asked.body.id}`)
  expect(done.status, done.text).toBe(200)
  return { group, ...done.body }
}

const passes = (checkId: string, detail = httpDetail()) =>
  [-3, -2, -1].map((minutes) => reported(checkId, minutes, detail))

/** Three passing runs of a check, followed by the given ones. */
const planted: Record<string, [(checkId: string) => Promise<SomeResult[]> | SomeResult[], string, RegExp]> = {
  'a name that leads elsewhere': [
    (id) => {
      const moved = { ...failures.refused, address: '198.51.100.9:443' }
      const at = (minutes: number) =>
        reported(id, minutes, httpDetail({ ip: '198.51.100.9', failure: moved }))
      return [...passes(id), at(0), at(1)]
    },
    'DNS_ERROR',
    /shop\.test resolves to another address: 198\.51\.100\.9/,
  ],
  'an expired certificate': [
    (id) => {
      const tls = tlsOf('2026-11-15T00:00:00.000Z', 'CERT_HAS_EXPIRED', '13:77')
      return [...passes(id), reported(id, 0, httpDetail({ failure: failures.expired, tls }))]
    },
    'CERTIFICATE_ERROR',
    /certificate of shop\.test expired on 2026-11-15/,
  ],
  'one bad address of three': [
    (id) => {
      const bad = httpDetail({ ip: '192.0.2.3', status: 500, failure: statusFailure(500) })
      const [one, two] = [httpDetail(), httpDetail({ ip: '192.0.2.2' })]
      return [...passes(id), ...[bad, one, two, bad, one].map((detail, index) => reported(id, index, detail))]
    },
    'INFRASTRUCTURE_ERROR',
    /only 192\.0\.2\.3 is faulty/,
  ],
  'a slow first byte': [
    (id) => [
      ...passes(id),
      reported(id, 0, httpDetail({ failure: failures.slow, phases: { firstByte: 2080, total: 2103 } })),
    ],
    'PERFORMANCE_ERROR',
    /^The slow phase is waiting for the first byte/,
  ],
  'a wrong status after a deployment mark': [
    async (id) => {
      now = noon - 30_000
      const mark = { environmentName: 'production', sha: '9b1f5a3e6d0c4b7e8f532f0f4d3a7c1198765432' }
      expect((await owner.post('/v1/deployments', mark)).status).toBe(201)
      now = noon + 30 * minute
      return [...passes(id), reported(id, 0, httpDetail({ status: 500, failure: statusFailure(500) }))]
    },
    'APPLICATION_ERROR',
    /status 500 instead of 200.*began 30 s after the deployment 9b1f5a3e6d0c to production was marked/,
  ],
  'a JSON document of another form': [
    (id) => {
      const assertions = [{ ...totalAssertion, order: 0, error: 'expected nothing to be greater than "0"' }]
      const detail = httpDetail({ body: '{"count":3,"items":[]}', failure: failures.gone, assertions })
      return [...passes(id), reported(id, 0, detail)]
    },
    'APPLICATION_ERROR',
    /The structure of the JSON response changed: \$\.total is missing\./,
  ],
  'a setup script that fails': [
    (id) => [...passes(id), reported(id, 0, scriptDetail())],
    'CONFIGURATION_ERROR',
    /setup script “login” failed: “Error: no token/,
  ],
  'a blocked location': [
    (id) => {
      const refused = httpDetail({ status: 403, failure: statusFailure(403) })
      const elsewhere = [0, 1].map((minutes) =>
        reported(id, minutes, httpDetail(), { location: 'us-east-1' }),
      )
      return [...passes(id), reported(id, 0, refused), reported(id, 1, refused), ...elsewhere]
    },
    'CONFIGURATION_ERROR',
    /Only the location Ireland is affected: the target refuses its requests with status 403/,
  ],
  'a refused port': [
    (id) => [...passes(id), reported(id, 0, httpDetail({ failure: failures.refused, tls: null }))],
    'INFRASTRUCTURE_ERROR',
    /connection to 192\.0\.2\.1:443 was refused/,
  ],
  'a timeout': [
    (id) => [...passes(id), reported(id, 0, httpDetail({ failure: failures.timeout }))],
    'TIMEOUT_ERROR',
    /timed out at 192\.0\.2\.1:443.*no response came/,
  ],
  'nothing that shows a cause': [
    (id) => [
      ...passes(id).map((result) => ({ ...result, detail: null })),
      reported(id, 0, null, { hasFailures: true, failure: { kind: 'protocol', message: 'something odd' } }),
    ],
    'UNKNOWN_ERROR',
    /^The cause is unknown\..*The following is missing to determine it: the details of the failing run/,
  ],
}

describe('an analysis of recorded runs', () => {
  it.each(Object.entries(planted))('names %s', async (_name, [runs, classification, cause]) => {
    const checkId = await newCheck()
    await insertResults(api.store, await runs(checkId), noon + 10 * minute)
    const { group, analysis, ...rest } = await analyzed(checkId)
    expect([analysis.classification, analysis.rootCause]).toEqual([
      classification,
      expect.stringMatching(cause),
    ])
    expect(rest).toEqual({
      id: rest.id,
      status: 'COMPLETED',
      checkType: 'API',
      provider: 'vedette',
      model: 'rules',
      checkId,
      errorGroupId: group.id,
      testSessionErrorGroupId: null,
      durationMs: expect.any(Number),
      created_at: new Date(now).toISOString(),
    })
    expect(analysis.referenceLinks[0]).toEqual({
      title: 'The failing result',
      url: expect.stringMatching(/^http:\/\/vedette\.test\/r\/[\w-]+$/),
    })
    expect((await follow(analysis.referenceLinks[0].url)).status).toBe(200)
    const shown = (await owner.get(`/v1/error-groups/${group.id}`)).body.rootCauseAnalyses
    expect(shown).toEqual([
      {
        id: rest.id,
        created_at: rest.created_at,
        analysis,
        provider: 'vedette',
        model: 'rules',
        durationMs: rest.durationMs,
        userContext: [],
      },
    ])
    const { rootCause, userImpact, codeFix } = analysis
    expect(await findLatestAnalysis(api.store.db, owner.accountId, group.id)).toEqual({
      id: rest.id,
      classification,
      rootCause,
      userImpact,
      codeFix,
    })
    expect(await findLatestAnalysis(api.store.db, api.bob.accountId, group.id)).toBeNull()
  })

  describe('counts final runs of its own error group:', () => {
    const failedWith = (status: number) => httpDetail({ status, failure: statusFailure(status) })
    /** A run that was retried: attempts with the same failure, then the final result. */
    const retried = (id: string, minutes: number, detail: RunDetail): SomeResult[] => {
      const runId = randomUUID()
      const attempt = (number: number, resultType: 'ATTEMPT' | 'FINAL') =>
        reported(id, minutes, detail, { runId, attempt: number, resultType })
      return [attempt(1, 'ATTEMPT'), attempt(2, 'ATTEMPT'), attempt(3, 'FINAL')]
    }
    const impactOf = async (runs: (checkId: string) => SomeResult[], status: number) => {
      const checkId = await newCheck()
      await insertResults(api.store, runs(checkId))
      const groups = (await owner.get(`/v1/error-groups/checks/${checkId}`)).body
      const group = groups.find(({ rawErrorMessage }: { rawErrorMessage: string }) =>
        rawErrorMessage.includes(String(status)),
      )
      const asked = await owner.post(`/v1/root-cause-analyses/error-groups/${group.id}`)
      await turn()
      return (await owner.get(`/v1/root-cause-analyses/${asked.body.id}`)).body.analysis.userImpact
    }

    it('two consecutive ones that are over', async () => {
      const runs = (id: string) => [
        ...passes(id),
        ...retried(id, 1, failedWith(500)),
        ...retried(id, 2, failedWith(500)),
        ...[3, 4, 5].flatMap((minutes) => retried(id, minutes, failedWith(404))),
        reported(id, 6, httpDetail()),
      ]
      expect(await impactOf(runs, 500)).toContain(
        '2 consecutive runs failed with this error, between 12:01 and 12:02 UTC on 2026-11-15, then the check failed with another error.',
      )
      expect(await impactOf(runs, 404)).toContain(
        '3 consecutive runs failed with this error, between 12:03 and 12:05 UTC on 2026-11-15, then it passed.',
      )
    })

    it('some that come and go', async () => {
      const runs = (id: string) => [
        ...passes(id),
        ...retried(id, 0, failedWith(500)),
        reported(id, 1, httpDetail()),
        ...retried(id, 2, failedWith(404)),
        ...retried(id, 3, failedWith(500)),
      ]
      expect(await impactOf(runs, 500)).toContain(
        'It comes and goes: 2 of 4 runs between 12:00 and 12:03 UTC on 2026-11-15 failed with this error, 1 with another error.',
      )
    })

    it('all since the first, and none if a retry passed', async () => {
      const lasting = (id: string) => [
        ...passes(id),
        ...[0, 1].flatMap((at) => retried(id, at, failedWith(500))),
      ]
      expect(await impactOf(lasting, 500)).toContain(
        'Every run since 12:00 UTC on 2026-11-15 failed with this error: 2 so far.',
      )
      const recovering = (id: string) => {
        const [first, second, last] = retried(id, 0, failedWith(500)) as [SomeResult, SomeResult, SomeResult]
        const passed = reported(id, 0, httpDetail(), { runId: last.runId, attempt: 3 })
        return [...passes(id), first, second, passed]
      }
      expect(await impactOf(recovering, 500)).toContain(
        'No run failed with this error in the end: a retry passed.',
      )
    })
  })

  it('names a changed response to a DNS monitor', async () => {
    const checkId = await newCheck('DNS')
    const wrong = { kind: 'assertion', message: 'JSON_ANSWER: other', phase: 'judge' } as const
    const run = (minutes: number, detail: RunDetail) =>
      reported(checkId, minutes, detail, { checkType: 'DNS', metrics: [3] })
    await insertResults(api.store, [
      run(-1, dnsDetail(['192.0.2.1'])),
      run(0, dnsDetail(['198.51.100.9'], wrong)),
    ])
    const { analysis } = await analyzed(checkId)
    expect(analysis).toMatchObject({
      classification: 'DNS_ERROR',
      rootCause: expect.stringContaining('new: A 198.51.100.9; missing: A 192.0.2.1'),
    })
  })

  it('considers only changes between the last passing run and the first failing one', async () => {
    const checkId = await newCheck()
    const at = async (instant: number, change: () => Promise<{ status: number }>) => {
      now = instant
      expect((await change()).status).toBeLessThan(300)
    }
    await at(noon - 90_000, () => owner.post('/v1/variables', { key: 'ORDER_ID', value: '7' }))
    await at(noon - 90_000, () => owner.post('/v1/deployments', { sha: 'early' }))
    await at(noon - 45_000, () =>
      owner.put(`/v1/checks/api/${checkId}`, { degradedResponseTime: 50, maxResponseTime: 90 }),
    )
    await at(noon - 40_000, () => owner.put('/v1/variables/ORDER_ID', { key: 'ORDER_ID', value: '8' }))
    await at(noon - 30_000, () => owner.post('/v1/variables', { key: 'UNUSED', value: 'by this check' }))
    await at(noon + 15 * minute, () => owner.post('/v1/deployments', { sha: 'late' }))
    now = noon + 30 * minute
    await insertResults(api.store, [
      ...passes(checkId),
      reported(checkId, 0, httpDetail({ failure: failures.slow })),
    ])
    const { analysis } = await analyzed(checkId)
    expect(analysis.classification).toBe('CONFIGURATION_ERROR')
    expect(analysis.rootCause).toContain('It began 45 s after the settings of the check changed. [')
    expect(analysis.rootCause).toContain('It began 40 s after the variable ORDER_ID changed. [')
    expect(JSON.stringify(analysis)).not.toMatch(/early|late|UNUSED/)
  })

  it('contains no secrets', async () => {
    const checkId = await newCheck()
    await owner.post('/v1/variables', { key: 'TOKEN', value: 'hunter2-secret', secret: true })
    const leaking = { ...failures.script, message: 'The setup script "login" failed: Error: hunter2-secret' }
    await insertResults(api.store, [reported(checkId, 0, { ...scriptDetail(), failure: leaking })])
    const done = await analyzed(checkId, { userContext: 'we rotated hunter2-secret' })
    expect(done.analysis.rootCause).toContain('“Error: *********”')
    expect(done.analysis.rootCause).toContain('not verified: “we rotated *********”')
    const { rows } = await api.store.pool.query(
      'select a::text as text from root_cause_analyses a where id = $1',
      [done.id],
    )
    expect(rows[0].text).not.toContain('hunter2')
    const group = (await owner.get(`/v1/error-groups/${done.errorGroupId}`)).body
    expect(group.rootCauseAnalyses[0].userContext).toEqual([{ text: 'we rotated *********', type: 'text' }])
  })

  it('compares the latest failure of a test-session error group with the runs of the check', async () => {
    const checkId = await newCheck()
    const test = await createTestSession(api, owner, checkId)
    const asked = await owner.post(`/v1/root-cause-analyses/test-session-error-groups/${test.errorGroupId}`, {
      userContext: 'a new firewall',
    })
    expect([asked.status, asked.body]).toEqual([202, { id: expect.any(String), status: 'PENDING' }])
    await turn()
    const { status, body } = await owner.get(`/v1/root-cause-analyses/${asked.body.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      checkType: 'API',
      checkId,
      errorGroupId: null,
      testSessionErrorGroupId: test.errorGroupId,
    })
    expect(body.analysis).toMatchObject({
      classification: 'NETWORK_ERROR',
      rootCause: expect.stringContaining('“connection refused”'),
    })
    expect((await follow(body.analysis.referenceLinks[0].url)).status).toBe(200)
    const group = (await owner.get(`/v1/test-session-error-groups/${test.errorGroupId}`)).body
    expect(group.rootCauseAnalyses).toEqual([
      expect.objectContaining({ id: asked.body.id, userContext: [{ text: 'a new firewall', type: 'text' }] }),
    ])
  })
})
