// Retries, leases and lost agents on a simulated clock, over the real routes.
import type { Job } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000
const minute = 60 * second

let sim: Simulation
let agent: SimulatedAgent

beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1', 'us-east-1'])
})
afterAll(() => sim.close())

async function claimFirst(settings: Record<string, unknown> = {}): Promise<Job> {
  sim.goTo(Math.ceil((sim.now() + 1) / (60 * minute)) * 60 * minute)
  const check = await sim.createCheck({ frequency: 10, frequencyOffset: 100, ...settings })
  sim.pass(10 * minute)
  const job = (await agent.claim()).find(({ checkId }) => checkId === check.id)
  if (job === undefined) throw new Error('nothing was due')
  return job
}

const remove = (job: Job) => sim.api.alice.delete(`/v1/checks/${job.checkId}`)

/** The delay of each retry of a check that always fails at once. */
async function retryDelays(job: Job): Promise<number[]> {
  const delays: number[] = []
  let current: Job | undefined = job
  while (current !== undefined) {
    await agent.report({ ...current, ...refused })
    const failedAt = sim.now()
    const due = Date.parse((await sim.lanes(job.checkId))[0]?.due_at ?? '')
    const lane = (await sim.lanes(job.checkId))[0]
    if (lane?.run_id === null) return delays
    sim.goTo(Math.max(due - 1, sim.now()))
    if (due > sim.now()) expect((await agent.claim()).map(({ runId }) => runId)).not.toContain(job.runId)
    sim.goTo(Math.max(due, sim.now()))
    current = (await agent.claim()).find(({ runId }) => runId === job.runId)
    delays.push((sim.now() - failedAt) / second)
  }
  return delays
}

describe('metrics', () => {
  it('of the layout of a later release are stored, and those that this release knows are read', async () => {
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.pass(60_000)
    for (const job of await agent.claim()) {
      const later = { metrics: [20, 1, 2, 3, 4, 5, 77], metricLayout: 2 }
      expect(await agent.report({ ...job, ...later })).toEqual([true])
    }
    const { body } = await sim.api.alice.get(`/v2/check-results/${check.id}`)
    expect(body.entries[0].metrics).toEqual({
      responseTime: 20,
      wait: 1,
      dns: 2,
      tcp: 3,
      firstByte: 4,
      download: 5,
    })
    const { rows } = await sim.api.store.pool.query('select metrics from results where check_id = $1', [
      check.id,
    ])
    expect(rows[0].metrics[6]).toBe(77)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('have the response time of the result, also if the run never completed', async () => {
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.pass(60_000)
    const nothing = { responseTimeMs: null, durationMs: 7, metrics: [null, null, null, null, null, null] }
    for (const job of await agent.claim()) await agent.report({ ...job, ...refused, ...nothing })
    const { body } = await sim.api.alice.get(`/v2/check-results/${check.id}`)
    expect(body.entries[0]).toMatchObject({ responseTime: 7, metrics: { responseTime: 7, dns: null } })
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })
})

describe('retries', () => {
  it.each([
    ['none', { retryStrategy: null }, []],
    ['FIXED', { retryStrategy: { type: 'FIXED', baseBackoffSeconds: 30, maxRetries: 3 } }, [30, 30, 30]],
    ['LINEAR', { retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 10, maxRetries: 3 } }, [10, 20, 30]],
    [
      'EXPONENTIAL',
      { retryStrategy: { type: 'EXPONENTIAL', baseBackoffSeconds: 5, maxRetries: 3 } },
      [5, 25, 125],
    ],
    ['SINGLE_RETRY', { retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 7 } }, [7]],
    ['doubleCheck', { doubleCheck: true }, [0]],
    [
      'maxDurationSeconds ends them',
      { retryStrategy: { type: 'FIXED', baseBackoffSeconds: 60, maxRetries: 10, maxDurationSeconds: 150 } },
      [60, 60],
    ],
    [
      'onlyOn a network error, which this was',
      { retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1, onlyOn: ['NETWORK_ERROR'] } },
      [1],
    ],
  ])('follow %s', async (_, settings, delays) => {
    const job = await claimFirst(settings)
    expect(await retryDelays(job)).toEqual(delays)
    const results = await sim.results(job.checkId)
    expect(results.map(({ attempt, result_type }) => [attempt, result_type])).toEqual([
      ...delays.map((_delay, index) => [index + 1, 'ATTEMPT']),
      [delays.length + 1, 'FINAL'],
    ])
    expect(new Set(results.map(({ run_id }) => run_id)).size).toBe(1)
    await remove(job)
  })

  it('do not follow an HTTP status with onlyOn NETWORK_ERROR', async () => {
    const job = await claimFirst({
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1, onlyOn: ['NETWORK_ERROR'] },
    })
    const failure = {
      kind: 'status',
      message: 'Expected a status code below 400, but it was 500.',
      phase: 'judge',
    } as const
    await agent.report({ ...job, outcome: 'failed', statusCode: 500, failure })
    expect((await sim.results(job.checkId)).map(({ result_type }) => result_type)).toEqual(['FINAL'])
    await remove(job)
  })

  it('end with the first attempt that passes, and only that one decides', async () => {
    const job = await claimFirst({ retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 3 } })
    await agent.report({ ...job, ...refused })
    expect((await sim.api.alice.get(`/v1/check-statuses/${job.checkId}`)).body?.hasFailures).not.toBe(true)
    sim.pass(second)
    const [again] = await agent.claim()
    expect(again).toMatchObject({ runId: job.runId, attempt: 2, scheduledAt: job.scheduledAt })
    await agent.report(again as Job)
    expect((await sim.results(job.checkId)).map(({ result_type }) => result_type)).toEqual([
      'ATTEMPT',
      'FINAL',
    ])
    expect((await sim.api.alice.get(`/v1/check-statuses/${job.checkId}`)).body.hasFailures).toBe(false)
    await remove(job)
  })

  it('go to another location with sameRegion false', async () => {
    const job = await claimFirst({
      locations: ['eu-west-1', 'us-east-1'],
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1, sameRegion: false },
    })
    await agent.report({ ...job, ...refused })
    sim.pass(second)
    const [again] = await agent.claim()
    expect(again?.runId).toBe(job.runId)
    expect(again?.location).not.toBe(job.location)
    await agent.report(again as Job)
    await remove(job)
  })

  it('skip the slots that pass meanwhile', async () => {
    const job = await claimFirst({
      frequency: 1,
      frequencyOffset: 10,
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 150, maxRetries: 1 },
    })
    await agent.report({ ...job, ...refused })
    sim.pass(150 * second)
    await sim.reap()
    const [again] = await agent.claim()
    expect(again?.runId).toBe(job.runId)
    await agent.report(again as Job)
    expect(await sim.coverage(job.checkId)).toMatchObject({
      executed: 1,
      skipped: 2,
      reasons: { in_progress: 2 },
    })
    await remove(job)
  })

  it('that no agent claims make the attempt before them final', async () => {
    const job = await claimFirst({ retryStrategy: { type: 'FIXED', baseBackoffSeconds: 60, maxRetries: 1 } })
    await agent.report({ ...job, ...refused })
    sim.pass(30 * minute)
    await sim.reap()
    expect((await sim.results(job.checkId)).map(({ result_type }) => result_type)).toEqual(['FINAL'])
    expect((await sim.api.alice.get(`/v1/check-statuses/${job.checkId}`)).body.hasFailures).toBe(true)
    expect(await sim.coverage(job.checkId)).toMatchObject({ executed: 1 })
    await remove(job)
  })
})

describe('a lease', () => {
  it('that expires makes its run due again with the same slot; the first result counts', async () => {
    const job = await claimFirst()
    const other = await sim.operator(['eu-west-1'])
    sim.pass(29 * second)
    expect(await other.claim()).toEqual([])
    sim.pass(second)
    const [again] = await other.claim()
    expect(again).toMatchObject({ runId: job.runId, scheduledAt: job.scheduledAt, attempt: 1 })
    expect(again?.token).not.toBe(job.token)
    expect(await agent.renew([job])).toEqual([job.runId])
    expect(await other.renew([again as Job])).toEqual([])
    expect(await other.report({ ...(again as Job), ...refused })).toEqual([true])
    expect(await agent.report(job)).toEqual([true])
    const results = await sim.results(job.checkId)
    expect(results).toMatchObject([{ attempt: 1, result_type: 'FINAL', has_failures: true }])
    expect(await sim.coverage(job.checkId)).toMatchObject({ executed: 1, skipped: 0, missed: 0 })
    await remove(job)
  })

  it('that its agent returns is due at once; a lease that it no longer holds is unaffected', async () => {
    const job = await claimFirst()
    const other = await sim.operator(['eu-west-1'])
    expect(await agent.report({ ...job, outcome: 'cancelled' })).toEqual([true])
    expect(await sim.results(job.checkId)).toEqual([])
    const [again] = await other.claim()
    expect(again).toMatchObject({ runId: job.runId, attempt: 1 })
    expect(await agent.report({ ...job, outcome: 'cancelled' })).toEqual([true])
    expect(await other.renew([again as Job])).toEqual([])
    await other.report(again as Job)
    expect(await sim.results(job.checkId)).toMatchObject([{ result_type: 'FINAL', has_failures: false }])
    await remove(job)
  })

  it('that is renewed does not expire, however long the run takes', async () => {
    const job = await claimFirst()
    for (let turn = 0; turn < 40; turn++) {
      sim.pass(10 * second)
      expect(await agent.renew([job])).toEqual([])
      expect((await agent.claim()).map(({ runId }) => runId)).not.toContain(job.runId)
    }
    expect(await agent.report(job)).toEqual([true])
    await remove(job)
  })

  it('of a run without a result is given up as missed; a late result removes the mark', async () => {
    const job = await claimFirst()
    sim.pass(11 * minute)
    await sim.reap()
    expect(await sim.coverage(job.checkId)).toEqual({
      executed: 0,
      skipped: 0,
      missed: 1,
      reasons: { agent: 1 },
    })
    sim.pass(60 * minute)
    expect(await agent.report({ ...job, startedAt: job.scheduledAt + 5 })).toEqual([true])
    const results = await sim.results(job.checkId)
    expect(results).toMatchObject([
      { scheduled_at: new Date(job.scheduledAt).toISOString(), result_type: 'FINAL' },
    ])
    expect(await sim.coverage(job.checkId)).toMatchObject({ executed: 1, missed: 0 })
    await remove(job)
  })
})

describe('a result', () => {
  it('reported twice, also within one report, is recorded once', async () => {
    const job = await claimFirst()
    expect(await agent.report(job, job)).toEqual([true, true])
    expect(await agent.report(job)).toEqual([true])
    expect(await sim.results(job.checkId)).toHaveLength(1)
    await remove(job)
  })

  it('without a valid lease is refused, and the others are recorded', async () => {
    const job = await claimFirst()
    const [text = '', mac = ''] = job.token.split('.')
    const forged = `${Buffer.from(Buffer.from(text, 'base64url').toString().replace('eu-west-1', 'us-west-2')).toString('base64url')}.${mac}`
    expect(await agent.report({ token: 'nonsense' }, { token: forged }, { token: `${text}.` }, job)).toEqual([
      false,
      false,
      false,
      true,
    ])
    await remove(job)
  })

  it('that is older than the decided one is stored and changes no status', async () => {
    const old = await claimFirst({ frequency: 1, frequencyOffset: 10 })
    sim.pass(5 * minute)
    await sim.reap()
    const newer = (await agent.claim()).find(({ checkId }) => checkId === old.checkId) as Job
    expect(newer.scheduledAt).toBeGreaterThan(old.scheduledAt)
    await agent.report(newer)
    await agent.report({ ...old, ...refused })
    expect(await sim.results(old.checkId)).toHaveLength(2)
    expect((await sim.api.alice.get(`/v1/check-statuses/${old.checkId}`)).body.hasFailures).toBe(false)
    await remove(old)
  })

  it.each([
    ['with a number too large', { metrics: [1e300] }],
    ['from after the year 9999', { startedAt: 8.64e15 }],
    ['from before 1970', { startedAt: -1 }],
  ])('%s is set aside, and the rest is recorded', async (_, wrong) => {
    const job = await claimFirst()
    const other = await claimFirst()
    expect(await agent.report({ ...other, ...wrong }, job)).toEqual([false, true])
    expect(await sim.results(job.checkId)).toHaveLength(1)
    expect(await sim.results(other.checkId)).toEqual([])
    await remove(job)
    await remove(other)
  })

  it('of a deleted check is accepted and not stored', async () => {
    const job = await claimFirst()
    await remove(job)
    expect(await agent.report(job)).toEqual([true])
    expect(await sim.results(job.checkId)).toEqual([])
  })
})

describe('a private location', () => {
  it('needs its own key for claims, and its key claims nothing else', async () => {
    const location = await sim.api.alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
    const foreign = await sim.api.bob.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
    const inside = sim.agentOf(location.body.keys[0].rawKey)
    const outside = sim.agentOf(foreign.body.keys[0].rawKey)
    const own = await sim.createCheck({ locations: [], privateLocations: ['office'] })
    const shared = await sim.createCheck({ locations: ['eu-west-1'] })
    sim.pass(2 * minute)
    expect(await outside.claim({ locations: ['eu-west-1', location.body.id] })).toEqual([])
    const atRegion = await agent.claim({ locations: ['eu-west-1', location.body.id, 'office'] })
    expect(atRegion.map(({ checkId }) => checkId)).toContain(shared.id)
    expect(atRegion.map(({ checkId }) => checkId)).not.toContain(own.id)
    const [job] = await inside.claim({ locations: ['eu-west-1'] })
    expect(job).toMatchObject({ checkId: own.id, location: 'office' })
    expect(await outside.report(job as Job)).toEqual([false])
    expect(await agent.report(job as Job)).toEqual([false])
    expect(await inside.report(job as Job)).toEqual([true])
    expect(await inside.report(atRegion[0] as Job)).toEqual([false])
  })

  it.each(['alice', 'bob'] as const)(
    'cannot be claimed with an API key (%s), nor can a region',
    async (caller) => {
      const response = await sim.api[caller].post('/agent/v1/claim', {
        agentId: agent.id,
        version: '0.1.0',
        locations: ['eu-west-1'],
        checkTypes: ['URL'],
        freeNetwork: 1,
        freeCode: 0,
        waitSeconds: 0,
      })
      expect(response.status).toBe(401)
    },
  )
})

describe('a job', () => {
  it('has the variables that its check names, unsealed, and no others', async () => {
    await sim.api.alice.post('/v1/variables', { key: 'TOKEN', value: 'swordfish-42', secret: true })
    await sim.api.alice.post('/v1/variables', { key: 'UNRELATED', value: 'not for you', secret: true })
    const job = await claimFirst({
      checkType: 'API',
      request: {
        method: 'GET',
        url: 'http://127.0.0.1/{{PATH}}',
        headers: [{ key: 'x-token', value: '{{TOKEN}}' }],
      },
    })
    expect(job.variables).toEqual({ TOKEN: 'swordfish-42' })
    expect(job.secrets).toEqual(['swordfish-42'])
    expect(JSON.stringify(job)).not.toContain('not for you')
    await agent.report(job)
    await remove(job)
  })

  it('of a check with a script has all variables of its account, and the snippets', async () => {
    const snippet = await sim.api.alice.post('/v1/snippets', {
      name: 'sign',
      script: 'exports.sign = () => 1',
    })
    const job = await claimFirst({
      checkType: 'API',
      request: { method: 'GET', url: 'http://127.0.0.1/' },
      setupSnippetId: snippet.body.id,
      localTearDownScript: 'console.log(1)',
    })
    expect(Object.keys(job.variables).toSorted()).toEqual(['TOKEN', 'UNRELATED'])
    expect(job.setup).toEqual([{ name: 'sign', script: 'exports.sign = () => 1' }])
    expect(job.teardown).toEqual([{ name: 'script', script: 'console.log(1)' }])
    expect(job.snippets).toEqual([{ name: 'sign', script: 'exports.sign = () => 1' }])
    await agent.report(job)
    await remove(job)
  })

  it('of a check whose script imports files has them, once', async () => {
    const files = [{ path: 'checks/sign.ts', content: 'export const sign = () => 1' }]
    const job = await claimFirst({
      checkType: 'API',
      request: { method: 'GET', url: 'http://127.0.0.1/' },
      localSetupScript: "import { sign } from './sign'",
      setupScriptPath: 'checks/setup.ts',
      setupScriptDependencies: files,
    })
    expect(job.setup).toEqual([
      { name: 'script', script: "import { sign } from './sign'", path: 'checks/setup.ts', files },
    ])
    expect(JSON.stringify(job.check)).not.toContain('sign.ts')
    await agent.report(job)
    await remove(job)
  })
})
