// Drafts, from the request to the result, on a simulated clock.
import { checkTypeNames, checkTypes, definitionOf, type Job, secretMask } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endLostTestRuns } from '../../dispatch/sessions.ts'
import { deleteUnusedBundles } from '../../storage/checks/code-bundles.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { deleteUnrecordedSessions } from '../../storage/runs/unrecorded-sessions.ts'
import { tarGzOf } from '../../testing/archives.ts'
import { uploadFile } from '../../testing/artifacts.ts'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'

const minute = 60_000
const hour = 60 * minute
const route = '/v1/test-sessions/drafts'
const runnable = checkTypeNames.filter((type) => definitionOf(type).capacity !== null)

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1', 'eu-central-1'])
})
afterAll(() => sim.close())

beforeEach(async () => {
  await sim.api.store.pool.query('truncate checks, check_groups, variables, snippets, test_sessions cascade')
  sim.pass(hour)
})

const url = (values: object = {}) => ({
  checkType: 'URL',
  name: 'Shop',
  locations: ['eu-west-1'],
  request: { url: 'https://shop.example' },
  ...values,
})

const api = (values: object = {}, request: object = {}) => ({
  checkType: 'API',
  name: 'Orders',
  locations: ['eu-west-1'],
  ...values,
  request: { method: 'GET', url: 'https://shop.example', ...request },
})

const browser = (values: object = {}) => ({
  checkType: 'BROWSER',
  name: 'Home',
  locations: ['eu-west-1'],
  script: 'x',
  ...values,
})

interface Started {
  testSessionId: string
  runs: { draft: number; testSessionResultId: string; sequenceId: string; runLocation: string }[]
}

async function run(checks: object[], more: object = {}): Promise<Started> {
  const response = await sim.api.alice.post(route, { drafts: checks.map((check) => ({ check })), ...more })
  expect(response.status, response.text).toBe(201)
  return response.body
}

const read = async ({ testSessionId }: Started) =>
  (await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)).body

const claim = (by = agent) => by.claim({ freeCode: 4, checkTypes: [...runnable] })

async function claimOne(): Promise<Job> {
  const [job, ...others] = await claim()
  if (job === undefined || others.length > 0) throw new Error('expected one job')
  return job
}

/** Rows that a session has left behind. */
async function countRows({ testSessionId }: Started): Promise<Record<string, number>> {
  const { rows } = await sim.api.store.pool.query(
    `select (select count(*) from drafts where test_session_id = $1) as drafts,
      (select count(*) from schedule where test_session_id = $1) as lanes`,
    [testSessionId],
  )
  return rows[0]
}

describe('POST drafts', () => {
  it('201: a run for each check and location, in the order of the request', async () => {
    const started = await run([
      url({ name: 'B', locations: ['eu-west-1', 'eu-central-1'] }),
      api({ name: 'A' }),
    ])
    expect(started).toMatchObject({ name: 'B', status: 'RUNNING', stoppedAt: null })
    expect(started.runs.map(({ draft, runLocation }) => [draft, runLocation])).toEqual([
      [0, 'eu-west-1'],
      [0, 'eu-central-1'],
      [1, 'eu-west-1'],
    ])
    const { results } = await read(started)
    expect(results).toHaveLength(3)
    for (const { testSessionResultId } of started.runs)
      expect(results).toContainEqual(
        expect.objectContaining({ testSessionResultId, checkId: null, resultType: 'PENDING' }),
      )
  })

  it('runs in the locations of the request, private ones too, instead of those of the checks', async () => {
    const { body: lab } = await sim.api.alice.post('/v1/private-locations', { name: 'Lab', slugName: 'lab' })
    const started = await run([url()], { locations: ['lab', 'eu-central-1', 'lab'] })
    expect(started.runs.map(({ runLocation }) => runLocation)).toEqual(['lab', 'eu-central-1'])
    const { rows } = await sim.api.store.pool.query(
      'select location, queue from schedule where test_session_id = $1 order by id',
      [started.testSessionId],
    )
    expect(rows).toEqual([
      { location: 'lab', queue: lab.id },
      { location: 'eu-central-1', queue: 'eu-central-1' },
    ])
  })

  it('stores the checks sealed, until the session is over', async () => {
    const started = await run([
      api({ localSetupScript: 'secretWord()' }, { url: 'https://secret-word.example' }),
    ])
    const { rows } = await sim.api.store.pool.query('select to_jsonb(d)::text as text from drafts d')
    expect(rows[0].text).not.toMatch(/secret.?word/i)
    expect(await countRows(started)).toEqual({ drafts: 1, lanes: 1 })
    await agent.report(await claimOne())
    expect(await countRows(started)).toEqual({ drafts: 0, lanes: 0 })
  })

  it('400 for what creating the check refuses, with the path in the request', async () => {
    const attributesOf = async (...checks: object[]) => {
      const response = await sim.api.alice.post(route, { drafts: checks.map((check) => ({ check })) })
      expect(response.status).toBe(400)
      return Object.keys(response.body.attributes).sort()
    }
    expect(await attributesOf(url({ request: {}, frequency: 7 }))).toEqual([
      'drafts.0.check.frequency',
      'drafts.0.check.request.url',
    ])
    const variables = { environmentVariables: [{ key: 'A', secret: true }] }
    expect(await attributesOf(api({ groupId: 4711, setupSnippetId: 5 }), browser(variables))).toEqual([
      'drafts.0.check.groupId',
      'drafts.0.check.setupSnippetId',
      'drafts.1.check.environmentVariables.0.value',
    ])
  })

  it('400 for a heartbeat monitor, with the reason', async () => {
    const check = { ...checkTypes.HEARTBEAT.example, checkType: 'HEARTBEAT' }
    const response = await sim.api.alice.post(route, { drafts: [{ check }] })
    expect([response.status, response.body.attributes]).toEqual([
      400,
      { 'drafts.0.check.checkType': "can't be run: heartbeat monitors wait for pings" },
    ])
  })

  it('400 without a location, for an unknown one, and for too many runs', async () => {
    const attributes = async (body: object) => (await sim.api.alice.post(route, body)).body.attributes
    expect(await attributes({ drafts: [{ check: url({ locations: [] }) }] })).toEqual({
      'drafts.0.check.locations': 'is empty: add a location, or send locations beside drafts',
    })
    const [check, locations] = [url(), ['eu-west-1', 'moon']]
    expect(Object.keys(await attributes({ drafts: [{ check }, { check }], locations }))).toEqual([
      'locations.1',
    ])
    const places = Object.keys(
      await attributes({
        drafts: Array.from({ length: 1000 }, () => ({
          check: url({ locations: ['eu-west-1', 'eu-west-2', 'us-east-1'] }),
        })),
      }),
    )
    expect(places).toEqual(['drafts'])
  })

  it('402 for a feature that the plan lacks; quotas of stored checks do not apply', async () => {
    const hobby = await sim.api.newAccount('hobby')
    const parallel = await hobby.post(route, { drafts: [{ check: url({ runParallel: true }) }] })
    expect([parallel.status, parallel.body.attributes]).toEqual([402, { entitlement: 'PARALLEL_SCHEDULING' }])
    expect((await hobby.post(route, { drafts: [{ check: url() }] })).status).toBe(201)
  })

  it('403 for a key that may only run stored checks', async () => {
    const runner = await sim.api.as('READ_RUN')
    expect((await runner.post(route, { drafts: [{ check: url() }] })).status).toBe(403)
  })

  it('warns like the routes that create checks', async () => {
    const request = { url: 'https://{{HOST}}.example/{{ITEM}}' }
    const response = await sim.api.alice.post(route, {
      drafts: [{ check: url({ request }) }],
      environmentVariables: [{ key: 'ITEM', value: 'pen' }],
    })
    expect(response.headers.get('vedette-warnings')).toContain('HOST')
    expect(response.headers.get('vedette-warnings')).not.toContain('ITEM')
  })

  it('404 for another account, on every route of the session', async () => {
    const { testSessionId, runs } = await run([url()])
    const path = `/v1/test-sessions/${testSessionId}`
    for (const rest of ['', '/completion?maxWaitSeconds=1', `/results/${runs[0]?.testSessionResultId}`])
      expect((await sim.api.bob.get(path + rest)).status).toBe(404)
    expect((await sim.api.bob.post(`${path}/cancel`)).status).toBe(404)
  })
})

describe('a run of a draft', () => {
  it.each(runnable)(
    'of type %s is handed out with the settings of the draft, and its result can be read',
    async (type) => {
      const check = { ...checkTypes[type].example, checkType: type, name: 'Draft', locations: ['eu-west-1'] }
      const started = await run([check])
      const job = await claimOne()
      expect(job).toMatchObject({
        checkType: type,
        source: 'test',
        check: { checkType: type, name: 'Draft' },
      })
      expect(job.runId).toBe(started.runs[0]?.sequenceId)
      await agent.report({ ...job, detail: JSON.stringify({ failure: null, assertions: [], observed: {} }) })
      expect(await read(started)).toMatchObject({ status: 'PASSED' })
      const id = started.runs[0]?.testSessionResultId
      const result = await sim.api.alice.get(`/v1/test-sessions/${started.testSessionId}/results/${id}`)
      expect(result.body).toMatchObject({ checkType: type, resultType: 'FINAL', status: 'PASSED' })
    },
  )

  it('has the settings of its group, snippets, and the variables of account, check and session', async () => {
    const { alice } = sim.api
    await alice.post('/v1/variables', { key: 'TOKEN', value: 'of the account', secret: true })
    const { body: snippet } = await alice.post('/v1/snippets', { name: 'login', script: 'login()' })
    const { body: group } = await alice.post('/v1/check-groups', {
      name: 'Group',
      locations: ['eu-central-1'],
      apiCheckDefaults: { url: 'https://base.example', headers: [{ key: 'X-Group', value: 'g' }] },
    })
    const check = api({
      groupId: group.id,
      locations: [],
      setupSnippetId: snippet.id,
      environmentVariables: [{ key: 'ITEM', value: 'of the check' }],
    })
    await run([check], { environmentVariables: [{ key: 'ITEM', value: 'of the session', secret: true }] })
    const job = await claimOne()
    expect(job).toMatchObject({
      location: 'eu-central-1',
      groupBaseUrl: 'https://base.example',
      variables: { TOKEN: 'of the account', ITEM: 'of the session' },
      setup: [{ name: 'login', script: 'login()' }],
      check: { request: { headers: [{ key: 'X-Group', value: 'g' }] } },
    })
    expect(job.secrets.sort()).toEqual(['of the account', 'of the session'])
  })

  it('leaves nothing in checks, results, statuses, error groups, coverage and the list of sessions', async () => {
    const started = await run([url()])
    await agent.report({ ...(await claimOne()), ...refused })
    expect(await read(started)).toMatchObject({ status: 'FAILED', errorGroupIds: [] })
    for (const table of ['checks', 'results', 'check_statuses', 'error_groups', 'coverage', 'check_alerts']) {
      const { rows } = await sim.api.store.pool.query(`select count(*) as rows from ${table}`)
      expect([table, rows[0].rows]).toEqual([table, 0])
    }
    expect((await sim.api.alice.get('/v1/test-sessions')).body.entries).toEqual([])
    expect((await sim.api.alice.get('/v1/test-session-error-groups')).body).toEqual([])
  })

  it('is retried by the strategy of the session', async () => {
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 }
    const started = await run([url()], { retryStrategy })
    await agent.report({ ...(await claimOne()), ...refused })
    expect(await read(started)).toMatchObject({ status: 'RUNNING' })
    const second = await claimOne()
    expect(second.attempt).toBe(2)
    await agent.report(second)
    expect((await read(started)).results).toMatchObject([{ resultType: 'ATTEMPT' }, { status: 'PASSED' }])
  })

  it('of a suite downloads its bundle, which retention keeps while the draft exists', async () => {
    const archive = tarGzOf({ 'package.json': '{}' })
    const { body: bundle } = await sim.api.alice.send('POST', '/v1/code-bundles', archive)
    await run([{ checkType: 'PLAYWRIGHT', name: 'Suite', locations: ['eu-west-1'], ...bundle }])
    const job = await claimOne()
    sim.pass(30 * 24 * hour)
    expect(await deleteUnusedBundles(sim.api.store.pool, sim.now())).toBe(0)
    const response = await fetch(`${sim.api.url}/agent/v1/code-bundle`, {
      headers: { authorization: `Bearer ${sim.api.builtInKey}`, 'x-run-token': job.token },
    })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(archive)
    await agent.report(job)
    expect(await deleteUnusedBundles(sim.api.store.pool, sim.now() + 1)).toBe(1)
  })
})

describe('a draft of a stored check', () => {
  const locked = {
    headers: [{ key: 'Authorization', value: 'hidden header', locked: true }],
    basicAuth: { username: 'me', password: 'hidden password' },
  }

  async function runEdited(path: string, stored: object, check: object) {
    const created = await sim.api.alice.post(`/v1/checks/${path}`, { ...stored, activated: false })
    const checkId: string = created.body.id
    const response = await sim.api.alice.post(route, { drafts: [{ check, checkId }] })
    expect(response.status, response.text).toBe(201)
    return { checkId, started: response.body, job: await claimOne() }
  }

  it('runs with the secrets that were read without their values, and has the id of the check', async () => {
    const variables = [{ key: 'TOKEN', value: 'hidden word', secret: true }]
    const { checkId, started, job } = await runEdited(
      'browser',
      browser({ environmentVariables: variables }),
      browser({ script: 'y', environmentVariables: [{ key: 'TOKEN', value: null, secret: true }] }),
    )
    expect(job).toMatchObject({
      checkId,
      check: { script: 'y' },
      variables: { TOKEN: 'hidden word' },
      secrets: ['hidden word'],
    })
    await sim.api.alice.delete(`/v1/checks/${checkId}`)
    await agent.report(job)
    expect((await read(started)).results).toMatchObject([{ checkId, status: 'PASSED' }])
  })

  it('runs with the locked values that were read masked', async () => {
    const { job } = await runEdited(
      'api',
      api({}, locked),
      api(
        {},
        {
          url: 'https://new.example',
          headers: [{ key: 'Authorization', value: secretMask, locked: true }],
          basicAuth: { username: 'me', password: secretMask },
        },
      ),
    )
    expect(job).toMatchObject({ check: { request: { url: 'https://new.example', ...locked } } })
    expect(job.secrets.sort()).toEqual(['hidden header', 'hidden password'])
  })

  it('400 for a check of another account or of another type', async () => {
    const { body: stored } = await sim.api.alice.post('/v1/checks/api', { ...api(), activated: false })
    const drafts = [{ check: api(), checkId: stored.id }]
    const foreign = await sim.api.bob.post(route, { drafts })
    expect([foreign.status, foreign.body.attributes]).toEqual([400, { 'drafts.0.checkId': 'does not exist' }])
    const other = await sim.api.alice.post(route, { drafts: [{ check: url(), checkId: stored.id }] })
    expect(other.body.attributes).toEqual({ 'drafts.0.checkId': 'is a check of type API, not URL' })
  })
})

describe('faults', () => {
  it('a run whose agent was killed is handed out again, and ends once', async () => {
    const started = await run([url()])
    const lost = await claimOne()
    sim.pass(31_000)
    const [job] = await claim(await sim.operator(['eu-west-1']))
    expect(job?.runId).toBe(lost.runId)
    await agent.report({ ...lost, ...refused })
    await agent.report(job as Job)
    expect(await read(started)).toMatchObject({ status: 'FAILED', results: [{ resultType: 'FINAL' }] })
    expect(await countRows(started)).toEqual({ drafts: 0, lanes: 0 })
  })

  it.each([
    ['no agent claims', false, 'No agent took this run within 6 minutes.'],
    [
      'an agent lost',
      true,
      'The agent that claimed this run stopped responding, and no other agent took it over.',
    ],
  ])('a run that %s ends with the reason', async (_, isClaimed, scheduleError) => {
    const started = await run([url()])
    await agent.renew([], 'running', { checkTypes: [...runnable] })
    if (isClaimed) await claimOne()
    sim.pass(7 * minute + 1)
    await sim.reap()
    const [{ testSessionResultId } = { testSessionResultId: '' }] = started.runs
    const path = `/v1/test-sessions/${started.testSessionId}/results/${testSessionResultId}`
    expect((await sim.api.alice.get(path)).body).toMatchObject({
      status: 'FAILED',
      hasErrors: true,
      scheduleError,
    })
    expect(await countRows(started)).toEqual({ drafts: 0, lanes: 0 })
    expect(await claim()).toEqual([])
  })

  it('a run in a private location that is deleted ends', async () => {
    const { body: lab } = await sim.api.alice.post('/v1/private-locations', {
      name: 'Lab',
      slugName: 'short',
    })
    const started = await run([url()], { locations: ['short'] })
    expect((await sim.api.alice.delete(`/v1/private-locations/${lab.id}`)).status).toBe(204)
    sim.pass(11 * minute)
    await inTransaction(sim.api.store.pool, (client) => endLostTestRuns(client, sim.now()))
    expect(await read(started)).toMatchObject({ status: 'FAILED' })
    expect(await countRows(started)).toEqual({ drafts: 0, lanes: 0 })
  })

  it('a canceled session ends at once; what its agent reports later is dropped', async () => {
    const started = await run([url({ locations: ['eu-west-1', 'eu-central-1'] })])
    const jobs = await claim()
    await sim.api.alice.post(`/v1/test-sessions/${started.testSessionId}/cancel`)
    expect(await countRows(started)).toEqual({ drafts: 0, lanes: 0 })
    expect((await agent.renew(jobs)).sort()).toEqual(jobs.map(({ runId }) => runId).sort())
    await agent.report(...jobs)
    const { status, results } = await read(started)
    expect(status).toBe('CANCELLED')
    expect(results.map(({ runLocation }: { runLocation: string }) => runLocation).sort()).toEqual([
      'eu-central-1',
      'eu-west-1',
    ])
  })
})

describe('after its end', () => {
  const remove = () =>
    inTransaction(sim.api.store.pool, (client) => deleteUnrecordedSessions(client, sim.now() - hour, 100))

  async function finish(more: object = {}) {
    const started = await run([browser()], more)
    const job = await claimOne()
    const file = await uploadFile(
      sim.api,
      sim.api.alice.accountId,
      { content: 'a picture', name: 'home.png' },
      sim.now(),
    )
    await agent.report({ ...job, artifacts: [file] })
    const [{ testSessionResultId } = { testSessionResultId: '' }] = started.runs
    const path = `/v1/test-sessions/${started.testSessionId}/results/${testSessionResultId}`
    const findLink = async () => {
      const { assets = [] } = (await sim.api.alice.get(`${path}/assets`)).body
      return assets.find(({ type }: { type: string }) => type === 'screenshot')?.url
    }
    return { started, path, findLink }
  }

  it('a session is deleted with its results and files after an hour', async () => {
    const { path, findLink } = await finish()
    sim.pass(hour - minute)
    expect(await remove()).toBe(0)
    expect((await sim.api.alice.get(path)).status).toBe(200)
    const link = await findLink()
    expect((await sim.api.alice.get(link)).text).toBe('a picture')
    sim.pass(2 * minute)
    expect(await remove()).toBe(1)
    expect((await sim.api.alice.get(path)).status).toBe(404)
    expect((await sim.api.alice.get(link)).status).toBe(404)
    const { rows } = await sim.api.store.pool.query('select count(*) as files from artifacts')
    expect(rows[0].files).toBe(0)
  })

  it('a recorded session stays, and is listed', async () => {
    const { started } = await finish({ shouldRecord: true, name: 'Release' })
    sim.pass(2 * hour)
    expect(await remove()).toBe(0)
    expect((await sim.api.alice.get('/v1/test-sessions')).body.entries).toMatchObject([
      { id: started.testSessionId, name: 'Release', status: 'PASSED' },
    ])
  })
})
