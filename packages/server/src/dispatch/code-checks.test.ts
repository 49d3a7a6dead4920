// Checks that run code, from the claim to the result, on a simulated clock.

import type { CheckType, Job } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listUnservedTypes } from '../storage/runs/agents.ts'
import { clearTables } from '../testing/database.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000
const minute = 60 * second

const codeTypes = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'] as const
const allTypes = ['API', 'URL', 'TCP', 'DNS', 'ICMP', ...codeTypes]

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1'])
})
afterAll(() => sim.close())

beforeEach(async () => {
  await clearTables(sim.api.store, 'checks', 'check_groups', 'variables', 'snippets')
  sim.goTo(Math.ceil((sim.now() + 1) / (60 * minute)) * 60 * minute)
})

const create = (checkType: CheckType, settings: Record<string, unknown> = {}) =>
  sim.createCheck({ checkType, frequency: checkType === 'AGENTIC' ? 5 : 1, runtimeId: null, ...settings })

const claim = (freeCode = 10, checkTypes: string[] = allTypes) => agent.claim({ freeCode, checkTypes })

async function claimOne(checkTypes: string[] = allTypes): Promise<Job> {
  const [job, ...others] = await claim(1, checkTypes)
  if (job === undefined || others.length > 0) throw new Error('expected one job')
  return job
}

async function trigger(checkId: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await sim.api.alice.post('/v2/check-sessions/trigger', {
    target: { checkId: [checkId] },
    ...more,
  })
  return body.sessions[0].checkSessionId
}

async function test(checkId: string, more: Record<string, unknown> = {}): Promise<string> {
  const response = await sim.api.alice.post('/v1/test-sessions/trigger', {
    name: 'A test',
    runLocation: 'eu-west-1',
    target: { checkId: [checkId] },
    ...more,
  })
  expect(response.status, response.text).toBe(201)
  return response.body.testSessionId
}

const failure = {
  kind: 'script',
  message: 'Error: expect(locator).toBeVisible() failed',
  phase: 'judge',
} as const
const scriptFailed = { outcome: 'failed' as const, statusCode: null, metrics: [900], failure }

describe('a claim', () => {
  it('takes no more code runs than the agent has free slots, and network runs besides', async () => {
    for (let n = 0; n < 3; n++) await create('BROWSER')
    await sim.createCheck()
    sim.pass(minute)
    const types = (jobs: Job[]) => jobs.map(({ checkType }) => checkType)
    expect(types(await claim(0))).toEqual(['URL'])
    expect(types(await claim(2))).toEqual(['BROWSER', 'BROWSER'])
    expect(types(await claim(2))).toEqual(['BROWSER'])
  })

  it('takes at most four code runs at once, because scripts may be large', async () => {
    for (let n = 0; n < 6; n++) await create('MULTI_STEP')
    sim.pass(minute)
    expect(await claim(100)).toHaveLength(4)
    expect(await claim(100)).toHaveLength(2)
  })

  it('takes only types that the agent runs, even if others have waited longer', async () => {
    for (const type of codeTypes) await create(type)
    sim.pass(5 * minute)
    expect(await claim(10, ['API', 'URL'])).toEqual([])
    expect((await claim(10, ['URL', 'AGENTIC'])).map(({ checkType }) => checkType)).toEqual(['AGENTIC'])
    expect(await claim(10, ['AGENTIC'])).toEqual([])
    expect((await claim(10)).map(({ checkType }) => checkType).sort()).toEqual([
      'BROWSER',
      'MULTI_STEP',
      'PLAYWRIGHT',
    ])
  })
})

describe('the job', () => {
  beforeEach(async () => {
    const { alice } = sim.api
    for (const [key, value, secret] of [
      ['SHOP', 'of the account', false],
      ['PASSWORD', 'hunter2', true],
      ['UNUSED', 'quiet', true],
    ])
      expect((await alice.post('/v1/variables', { key, value, secret })).status).toBe(201)
    await alice.post('/v1/snippets', { name: 'login', script: 'module.exports = 1' })
  })

  const own = { environmentVariables: [{ key: 'SHOP', value: 'of the check' }] }

  it('lists the values of all secret variables, also one that looks like a template', async () => {
    const value = 'a{{b}}c{{'
    const made = await sim.api.alice.post('/v1/variables', { key: 'ODD', value, secret: true })
    expect(made.status).toBe(201)
    await create('BROWSER')
    sim.pass(minute)
    expect((await claimOne()).secrets).toContain(value)
  })

  it.each(['BROWSER', 'MULTI_STEP'] as const)(
    'of %s has the script, all variables by precedence, their secrets, and the snippets',
    async (type) => {
      const files = {
        keepEvidence: 'ALWAYS',
        scriptPath: 'a/b.spec.ts',
        dependencies: [{ path: 'a/lib/helper.ts', content: 'export {}' }],
      }
      const check = await create(type, { ...own, ...files, script: 'the script' })
      sim.pass(minute)
      const job = await claimOne()
      expect(job).toMatchObject({
        checkId: check.id,
        accountId: sim.api.alice.accountId,
        checkType: type,
        refreshCache: false,
        agenticScript: null,
        proxyUrl: null,
        snippets: [{ name: 'login', script: 'module.exports = 1' }],
        source: 'schedule',
      })
      expect(job.check).toMatchObject({ ...files, script: 'the script' })
      await agent.report(job)
      await trigger(check.id)
      expect((await claimOne()).check).toMatchObject(files)
      await test(check.id)
      expect((await claimOne()).check).toMatchObject(files)
      expect(job.variables).toEqual({ SHOP: 'of the check', PASSWORD: 'hunter2', UNUSED: 'quiet' })
      expect(job.secrets.sort()).toEqual(['hunter2', 'quiet'])
      expect(job.runtimeId).toMatch(/^20\d\d\.\d\d$/)
      expect(job.check).not.toHaveProperty('environmentVariables')
    },
  )

  it('of a suite has its settings and all variables, and neither snippets nor a runtime', async () => {
    await create('PLAYWRIGHT', { ...own, testCommand: 'npx playwright test --grep smoke', workingDir: 'e2e' })
    sim.pass(minute)
    const job = await claimOne()
    expect(job).toMatchObject({ snippets: [], runtimeId: null, variables: { SHOP: 'of the check' } })
    expect(Object.keys(job.variables)).toHaveLength(3)
    expect(job.check).toMatchObject({
      codeBundlePath: 'code-bundles/checkout.tar.gz',
      testCommand: 'npx playwright test --grep smoke',
      workingDir: 'e2e',
      installCommand: 'npm ci',
      browsers: ['chromium', 'firefox'],
    })
  })

  it('of an agentic check has only the variables that its prompt names', async () => {
    await create('AGENTIC', { prompt: 'Sign in to SHOP with {{ PASSWORD }} at {{URL}}' })
    sim.pass(5 * minute)
    const job = await claimOne()
    expect(job).toMatchObject({ variables: { PASSWORD: 'hunter2' }, secrets: ['hunter2'], snippets: [] })
    expect(Object.keys(job.variables)).toEqual(['PASSWORD'])
  })

  it('of a group member has the settings of the group: runtime, variables, locations', async () => {
    const group = await sim.api.alice.post('/v1/check-groups', {
      name: 'Shop',
      locations: ['eu-west-1'],
      runtimeId: '2025.04',
      environmentVariables: [
        { key: 'SHOP', value: 'of the group' },
        { key: 'STAGE', value: 'blue' },
      ],
    })
    expect(group.status, group.text).toBe(201)
    await create('BROWSER', { groupId: group.body.id, locations: ['us-east-1'] })
    sim.pass(minute)
    const job = await claimOne()
    expect(job).toMatchObject({ runtimeId: '2025.04', location: 'eu-west-1' })
    expect(job.variables).toMatchObject({ SHOP: 'of the group', STAGE: 'blue' })
  })

  it('of a session has its source and whether the cache is refreshed', async () => {
    const check = await create('PLAYWRIGHT', { activated: false })
    await sim.api.alice.put(`/v1/checks/playwright/${check.id}`, { activated: true })
    await trigger(check.id, { refreshCache: true })
    expect(await claimOne()).toMatchObject({ source: 'session', refreshCache: true })
    await trigger(check.id)
    expect(await claimOne()).toMatchObject({ source: 'session', refreshCache: false })
    const environmentVariables = [{ key: 'SHOP', value: 'of the test', secret: true }]
    await test(check.id, { refreshCache: true, environmentVariables })
    const job = await claimOne()
    expect(job).toMatchObject({ source: 'test', refreshCache: true, variables: { SHOP: 'of the test' } })
    expect(job.secrets).toContain('of the test')
  })
})

const results = {
  BROWSER: 'browserCheckResult',
  MULTI_STEP: 'multiStepCheckResult',
  PLAYWRIGHT: 'playwrightCheckResult',
  AGENTIC: 'agenticCheckResult',
} as const

describe.each(codeTypes)('a run of %s', (type) => {
  it('stores its evidence in the field of its type, its log as a list, and its data', async () => {
    const check = await create(type)
    sim.pass(5 * minute)
    const job = await claimOne()
    const jobLog = [{ time: sim.now(), msg: 'opened the shop', level: 'INFO' }]
    const observed = { errors: [], more: { isKept: true } }
    const detail = JSON.stringify({ failure: null, assertions: [], observed, jobLog })
    expect(
      await agent.report({ ...job, metrics: [1_234], statusCode: null, responseTimeMs: 1_234, detail }),
    ).toEqual([true])
    const path = `/v1/check-results/${check.id}/${job.resultId}`
    const { status, body } = await sim.api.alice.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      checkType: type,
      responseTime: 1_234,
      hasFailures: false,
      isDegraded: false,
    })
    expect(body[results[type]]).toMatchObject({ jobLog, errors: [], jobAssets: [], more: { isKept: true } })
    for (const [other, name] of Object.entries(results)) if (other !== type) expect(body[name]).toBeNull()
    const folder = `/v1/assets/check-results/${check.id}/${job.resultId}`
    expect((await sim.api.alice.get(`${folder}/logs.json`)).body).toEqual(jobLog)
    expect((await sim.api.alice.get(`${folder}/check-run-data.json`)).body).toEqual(observed)
    const { entries } = (await sim.api.alice.get(`/v2/check-results/${check.id}`)).body
    expect(entries).toMatchObject([{ id: job.resultId, [results[type]]: { jobLog, jobAssets: null } }])
  })

  it('that is degraded makes its result and its check degraded', async () => {
    const check = await create(type)
    sim.pass(5 * minute)
    const job = await claimOne()
    await agent.report({ ...job, outcome: 'degraded', statusCode: null, metrics: [10] })
    const result = (await sim.api.alice.get(`/v1/check-results/${check.id}/${job.resultId}`)).body
    expect(result).toMatchObject({ isDegraded: true, hasFailures: false, hasErrors: false })
    const state = (await sim.api.alice.get(`/v1/check-statuses/${check.id}`)).body
    expect(state).toMatchObject({ isDegraded: true, hasFailures: false })
  })

  it('that fails has its failure in the result and in an error group', async () => {
    const check = await create(type)
    sim.pass(5 * minute)
    const job = await claimOne()
    const detail = JSON.stringify({ failure, assertions: [], observed: {}, jobLog: [] })
    await agent.report({ ...job, ...scriptFailed, detail })
    const result = (await sim.api.alice.get(`/v1/check-results/${check.id}/${job.resultId}`)).body
    expect(result).toMatchObject({ hasFailures: true, failure: { kind: 'script', message: failure.message } })
    expect(JSON.stringify(result[results[type]].errors)).toContain(failure.message)
    const [group] = (await sim.api.alice.get(`/v1/error-groups/checks/${check.id}`)).body
    expect(group).toMatchObject({ cleanedErrorMessage: failure.message })
    expect(result.errorGroupIds).toEqual([group.id])
  })

  it('is retried if its type has retries', async () => {
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1, sameRegion: true }
    const check = await create(type, { retryStrategy })
    sim.pass(5 * minute)
    await agent.report({ ...(await claimOne()), ...scriptFailed })
    sim.pass(5 * second)
    const again = await claim(1)
    if (type === 'PLAYWRIGHT' || type === 'AGENTIC') {
      expect(again).toEqual([])
    } else {
      expect(again).toMatchObject([{ checkId: check.id, attempt: 2 }])
      await agent.report({ ...(again[0] as Job), metrics: [1] })
    }
    const state = (await sim.api.alice.get(`/v1/check-statuses/${check.id}`)).body
    expect(state.hasFailures).toBe(type === 'PLAYWRIGHT' || type === 'AGENTIC')
  })

  it('in a test session has its log, and leaves nothing in the results of the check', async () => {
    const check = await create(type)
    const testSessionId = await test(check.id)
    const job = await claimOne()
    const jobLog = [{ time: 1, msg: 'in a test', level: 'INFO' }]
    const detail = JSON.stringify({ failure: null, assertions: [], observed: {}, jobLog })
    await agent.report({ ...job, metrics: [5], statusCode: null, detail })
    const session = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
    expect(session).toMatchObject({ status: 'PASSED', results: [{ checkType: type, resultType: 'FINAL' }] })
    const path = `/v1/test-sessions/${testSessionId}/results/${session.results[0].testSessionResultId}`
    expect((await sim.api.alice.get(path)).body[results[type]]).toMatchObject({ jobLog, jobAssets: [] })
    expect((await sim.api.bob.get(path)).status).toBe(404)
    expect((await sim.api.alice.get(`/v2/check-results/${check.id}`)).body.entries).toEqual([])
  })
})

describe('a long run', () => {
  it('continues while its lease is renewed, also after the time in which an on-demand run must start', async () => {
    const check = await create('PLAYWRIGHT')
    const sessionId = await trigger(check.id)
    const job = await claimOne()
    for (let waited = 0; waited < 35 * minute; waited += 20 * second) {
      sim.pass(20 * second)
      expect(await agent.renew([job])).toEqual([])
      if (waited % minute === 0) await sim.reap()
    }
    expect(await agent.report({ ...job, metrics: [1] })).toEqual([true])
    expect((await sim.api.alice.get(`/v2/check-sessions/${sessionId}`)).body.status).toBe('PASSED')
  })

  it('whose agent dies is handed out again, also on demand and after a long time', async () => {
    const check = await create('PLAYWRIGHT')
    const sessionId = await trigger(check.id)
    const job = await claimOne()
    for (let waited = 0; waited < 10 * minute; waited += 20 * second) {
      sim.pass(20 * second)
      await agent.renew([job])
    }
    // The lease expires; reaping first must not end the run.
    sim.pass(31 * second)
    await sim.reap()
    const again = (await claim(10)).find(({ source }) => source === 'session')
    expect(again).toMatchObject({ runId: job.runId, attempt: job.attempt })
    await agent.report({ ...(again as Job), metrics: [1] })
    expect((await sim.api.alice.get(`/v2/check-sessions/${sessionId}`)).body.status).toBe('PASSED')
  })

  it('that no agent claims again ends its session', async () => {
    const check = await create('PLAYWRIGHT')
    const sessionId = await trigger(check.id)
    await claimOne()
    sim.pass(8 * minute)
    await sim.reap()
    expect((await sim.api.alice.get(`/v2/check-sessions/${sessionId}`)).body.status).toBe('TIMED_OUT')
  })

  it('that is cancelled is reported to its agent as cancelled when it renews the lease', async () => {
    const check = await create('PLAYWRIGHT')
    const sessionId = await trigger(check.id)
    const job = await claimOne()
    sim.pass(10 * second)
    const cancelled = await sim.api.alice.post(`/v1/check-sessions/${sessionId}/cancel`, {
      sequenceId: [job.runId],
    })
    expect(cancelled.status).toBe(204)
    expect(await agent.renew([job])).toEqual([job.runId])
    await agent.report({ ...job, outcome: 'cancelled' })
    expect((await sim.api.alice.get(`/v2/check-sessions/${sessionId}`)).body.status).toBe('CANCELLED')
    expect(await claim(10)).toEqual([])
  })
})

describe('a type that no agent in its location runs', () => {
  it('is the reason why a test did not run', async () => {
    const check = await create('BROWSER')
    const testSessionId = await test(check.id)
    const { results: pending } = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
    sim.pass(6 * minute)
    await agent.renew([], 'running', { checkTypes: ['URL', 'TCP'] })
    await sim.reap()
    const path = `/v1/test-sessions/${testSessionId}/results/${pending[0].testSessionResultId}`
    expect((await sim.api.alice.get(path)).body).toMatchObject({
      status: 'FAILED',
      scheduleError: 'No agent in eu-west-1 runs BROWSER checks.',
    })
  })

  it('is every type except the network types of 0.1.0 if the agent does not name its types', async () => {
    const check = await create('BROWSER')
    const testSessionId = await test(check.id)
    const { results: pending } = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
    sim.pass(6 * minute)
    await agent.renew([], 'running', {})
    await sim.reap()
    const path = `/v1/test-sessions/${testSessionId}/results/${pending[0].testSessionResultId}`
    expect((await sim.api.alice.get(path)).body.scheduleError).toBe(
      'No agent in eu-west-1 runs BROWSER checks.',
    )
    const unserved = (checkType: string) =>
      listUnservedTypes(sim.api.store.pool, [{ locationKey: 'eu-west-1', checkType }], sim.now())
    expect(await unserved('OF_A_LATER_RELEASE')).toHaveLength(1)
    for (const type of ['API', 'URL', 'TCP', 'DNS', 'ICMP']) expect(await unserved(type)).toEqual([])
  })

  it('is not the reason if an agent runs it but had no free slot', async () => {
    const check = await create('BROWSER')
    const testSessionId = await test(check.id)
    const { results: pending } = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
    sim.pass(6 * minute)
    await agent.renew([], 'running', { checkTypes: ['URL', 'BROWSER'] })
    await sim.reap()
    const path = `/v1/test-sessions/${testSessionId}/results/${pending[0].testSessionResultId}`
    expect((await sim.api.alice.get(path)).body.scheduleError).toBe(
      'No agent took this run within 6 minutes.',
    )
  })
})

describe('a suite that fails in a test session', () => {
  const failed = (testTitle: string, message: string) => ({
    error: { message, stack: '' },
    specId: `id of ${testTitle}`,
    testFile: 'shop.spec.ts',
    suitePath: ['shop'],
    testTitle,
    projectName: 'chromium',
  })
  const withoutError = (testTitle: string) => {
    const { error: _, ...rest } = failed(testTitle, '')
    return rest
  }

  it('adds the failed tests to its error group, also those of later runs', async () => {
    const check = await create('PLAYWRIGHT')
    const run = async (errors: unknown[]) => {
      const testSessionId = await test(check.id)
      const job = await claimOne()
      const detail = JSON.stringify({ failure, assertions: [], observed: { errors }, jobLog: [] })
      expect(await agent.report({ ...job, ...scriptFailed, detail })).toEqual([true])
      const session = (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body
      expect(session).toMatchObject({ status: 'FAILED' })
      return (await sim.api.alice.get(`/v1/test-session-error-groups/${session.errorGroupIds[0]}`)).body
    }
    const first = await run([
      failed('buys', 'Error: 1'),
      failed('pays', 'Error: 2'),
      failed('pays', 'other'),
      7,
    ])
    expect(first.pwtMetadata).toEqual([withoutError('buys'), withoutError('pays')])
    const second = await run([failed('pays', 'Error: 3'), failed('\u0000sells', 'Error: 4')])
    expect(second.id).toBe(first.id)
    expect(second.pwtMetadata.map(({ testTitle }: { testTitle: string }) => testTitle)).toEqual([
      'buys',
      'pays',
      'sells',
    ])
  })
})
