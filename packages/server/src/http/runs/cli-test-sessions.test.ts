// Test sessions as command-line clients start them, with runs of simulated agents.
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../testing/api.ts'
import { uploadFile } from '../../testing/artifacts.ts'
import { MqttClient } from '../../testing/mqtt-client.ts'
import { deploy } from '../../testing/sample-project.ts'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = sim.builtIn()
})
afterAll(() => sim.close())

const region = { type: 'PUBLIC', region: 'eu-west-1' }

/** As clients send it: keys that the user didn't set are absent, and references are objects. */
const url = {
  name: 'Home',
  groupId: null,
  doubleCheck: false,
  useGlobalAlertSettings: true,
  runParallel: false,
  checkType: 'URL',
  locations: ['mars-1'],
  request: { url: 'https://example.com/{{PATH}}', method: 'GET' },
}

function jobOf(logicalId: string, payload: object, sourceInfo: object) {
  const info = { checkRunSuiteId: randomUUID(), checkRunId: randomUUID(), updateSnapshots: false }
  return { ...payload, logicalId, filePath: 'home.check.ts', sourceInfo: { ...info, ...sourceInfo } }
}

async function run(jobs: object[], more: object = {}, by: Caller = sim.api.alice) {
  sim.pass(60_000)
  return by.post('/v1/test-sessions/run', {
    name: 'Shop',
    checkRunJobs: jobs,
    project: { logicalId: 'shop' },
    sharedFiles: [],
    runLocation: region,
    repoInfo: null,
    environment: null,
    shouldRecord: true,
    streamLogs: false,
    refreshCache: false,
    ...more,
  })
}

describe('POST /v1/test-sessions/run', () => {
  it('shows the project, once it is deployed', async () => {
    const before = await run([jobOf('home', url, {})])
    const project = { logicalId: 'tested', name: 'Tested' }
    await deploy(sim.api.alice, { project, sharedFiles: [], resources: [] })
    const { body } = await run([jobOf('home', url, {})], { project: { logicalId: 'tested' } })
    const bound = { logicalId: 'tested', name: 'Tested' }
    expect((await sim.api.alice.get(`/v1/test-sessions/${body.testSessionId}`)).body.project).toMatchObject(
      bound,
    )
    const { entries } = (await sim.api.alice.get('/v1/test-sessions')).body
    const [entry] = entries.filter(({ id }: { id: string }) => id === body.testSessionId)
    expect(entry).toMatchObject({ project: bound, projectId: entry.project.id })
    const { body: earlier } = await sim.api.alice.get(`/v1/test-sessions/${before.body.testSessionId}`)
    expect(earlier.project).toBeNull()
    // Another account may have a project of the same name.
    const other = await run([jobOf('home', url, {})], { project: { logicalId: 'tested' } }, sim.api.bob)
    const read = await sim.api.bob.get(`/v1/test-sessions/${other.body.testSessionId}`)
    expect(read.body.project).toBeNull()
    for (const { testSessionId } of [before.body, body])
      await sim.api.alice.post(`/v1/test-sessions/${testSessionId}/cancel`)
    await sim.api.bob.post(`/v1/test-sessions/${other.body.testSessionId}/cancel`)
  })

  it('runs checks that are not deployed, with their group, variables and retries', async () => {
    const checkRunSuiteId = randomUUID()
    const group = {
      name: 'Group',
      v: 2,
      locations: ['mars-1'],
      environmentVariables: [{ key: 'GROUP', value: 'g', locked: false }],
      apiCheckDefaults: { headers: [{ key: 'x-group', value: '{{GROUP}}' }] },
    }
    const api = {
      ...url,
      name: 'API',
      checkType: 'API',
      groupId: { ref: 'group' },
      environmentVariables: [{ key: 'PATH', value: 'secret path', locked: true }],
      request: { url: 'https://example.com/{{PATH}}', method: 'GET' },
      group,
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 60, maxRetries: 2, onlyOn: 'NETWORK_ERROR' },
      testRetryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1, sameRegion: true },
    }
    const client = new MqttClient(sim.api.url)
    await client.logIn(sim.api.alice.accountId, sim.api.alice.key)
    await client.subscribe(`account/${sim.api.alice.accountId}/ad-hoc-check-results/${checkRunSuiteId}/+/+/+`)
    const checkRunId = randomUUID()
    const response = await run([jobOf('api', api, { checkRunSuiteId, checkRunId })], {
      repoInfo: { commitId: 'abc', branchName: 'main', github: { reporting: true, repository: 'a/b' } },
      environment: 'staging',
    })
    expect(response.status, response.text).toBe(202)
    const { testSessionId, schedulingId, sequenceIds, testResultIds } = response.body
    expect(sequenceIds).toEqual({ api: expect.any(String) })
    const [job] = await agent.claim({ checkTypes: ['API'] })
    if (job === undefined) throw new Error('expected a job')
    expect(job).toMatchObject({
      location: 'eu-west-1',
      source: 'test',
      variables: { GROUP: 'g', PATH: 'secret path' },
      secrets: ['secret path'],
      check: { request: { headers: [{ key: 'x-group', value: '{{GROUP}}' }] } },
    })
    await agent.report({ ...job, ...refused })
    await agent.report(...(await agent.claim({ checkTypes: ['API'] })))
    const topics = []
    for (let index = 0; index < 3; index += 1) topics.push((await client.nextMessage())?.topic)
    client.close()
    const root = `account/${sim.api.alice.accountId}/ad-hoc-check-results/${checkRunSuiteId}`
    expect(topics).toEqual(
      ['run-start', 'result', 'result'].map((name) => `${root}/${sequenceIds.api}/${checkRunId}/${name}`),
    )
    const session = await sim.api.alice.get(`/v1/test-sessions/${testSessionId}`)
    expect(session.body).toMatchObject({
      name: 'Shop',
      status: 'PASSED',
      metadata: { commitId: 'abc', environment: 'staging' },
    })
    const result = await sim.api.alice.get(`/v1/test-sessions/${testSessionId}/results/${testResultIds.api}`)
    expect(result.body).toMatchObject({ filePath: 'home.check.ts', resultType: 'FINAL', attempts: 2 })
    const scheduling = await sim.api.alice.get(
      `/v1/test-sessions/scheduling/${schedulingId}/completion?maxWaitSeconds=30`,
    )
    expect(scheduling.body).toMatchObject({ status: 'SUCCEEDED' })
    const { body: listed } = await sim.api.alice.get('/v1/test-sessions?limit=1')
    expect(listed.entries[0]).toMatchObject({ id: testSessionId, provider: 'GITHUB' })
    // Nothing of the definition is left.
    const { rows } = await sim.api.store.pool.query('select count(*)::int as count from drafts')
    expect(rows).toEqual([{ count: 0 }])
  })

  it('takes compressed bodies, shared files by their indexes, and a stored group by its id', async () => {
    const { alice } = sim.api
    const { body: group } = await alice.post('/v2/check-groups', {
      name: 'Stored',
      environmentVariables: [{ key: 'STORED', value: 'yes' }],
    })
    const browser = {
      name: 'Browser',
      checkType: 'BROWSER',
      script: "import './lib'",
      scriptPath: 'a/home.spec.ts',
      dependencies: [1],
      groupId: { ref: `check-group-${group.id}` },
      group: null,
      snapshots: [],
    }
    const body = {
      name: 'Shop',
      checkRunJobs: [jobOf('a/home.spec.ts', browser, {})],
      project: { logicalId: 'shop' },
      sharedFiles: [
        { path: 'a/unused.ts', content: '' },
        { path: 'a/lib.ts', content: 'export {}' },
      ],
      runLocation: region,
      shouldRecord: false,
    }
    sim.pass(60_000)
    const response = await fetch(`${sim.api.url}/v1/test-sessions/run`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${alice.key}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: await promisify(gzip)(JSON.stringify(body)),
    })
    expect(response.status).toBe(202)
    const started: { schedulingId: string; sequenceIds: Record<string, string> } = JSON.parse(
      await response.text(),
    )
    expect(Object.keys(started).sort()).toEqual(['schedulingId', 'sequenceIds'])
    const [job] = await agent.claim({ freeCode: 1, checkTypes: ['BROWSER'] })
    expect(job).toMatchObject({
      runId: started.sequenceIds['a/home.spec.ts'],
      check: { scriptPath: 'a/home.spec.ts', dependencies: [{ path: 'a/lib.ts', content: 'export {}' }] },
      variables: { STORED: 'yes' },
    })
    await agent.report(...(job === undefined ? [] : [job]))
    const { body: listed } = await alice.get('/v1/test-sessions')
    expect(JSON.stringify(listed)).not.toContain(started.schedulingId)
  })

  it('runs in private locations', async () => {
    const { body: location } = await sim.api.alice.post('/v1/private-locations', {
      name: 'Office',
      slugName: 'office',
    })
    const runLocation = { type: 'PRIVATE', id: location.id, slugName: 'office' }
    const response = await run([jobOf('home', url, {})], { runLocation })
    expect(response.status, response.text).toBe(202)
    const session = await sim.api.alice.get(`/v1/test-sessions/${response.body.testSessionId}`)
    expect(session.body.results).toMatchObject([{ runLocation: 'office', status: 'RUNNING' }])
    const cancel = `/v1/test-sessions/${response.body.testSessionId}/cancel`
    const sequenceId = Object.values(response.body.sequenceIds)
    expect((await sim.api.alice.post(cancel, { sequenceId })).status).toBe(204)
    const canceled = await sim.api.alice.get(`/v1/test-sessions/${response.body.testSessionId}`)
    expect(canceled.body.status).toBe('CANCELLED')
  })

  it('names the check that is wrong, and starts nothing', async () => {
    const checkRunSuiteId = randomUUID()
    const before = await sim.api.alice.get('/v1/test-sessions')
    const response = await run([
      jobOf('good', url, { checkRunSuiteId }),
      jobOf('good', { ...url, request: { url: 'ftp://example.com', method: 'GET' } }, { checkRunSuiteId }),
      jobOf('odd', { ...url, checkType: 'PIGEON' }, {}),
      jobOf('grouped', { ...url, group: { name: 7 } }, { checkRunSuiteId }),
      jobOf('heartbeat', { name: 'H', checkType: 'HEARTBEAT', heartbeat }, { checkRunSuiteId }),
      jobOf('files', { name: 'B', checkType: 'BROWSER', script: '', dependencies: [3] }, { checkRunSuiteId }),
    ])
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ statusCode: 400, error: 'Bad Request' })
    expect(response.body.attributes).toMatchObject({
      'checkRunJobs.1.logicalId': 'of "good" must be unique',
      'checkRunJobs.1.request.url': expect.stringContaining('of "good" '),
      'checkRunJobs.2.checkType': expect.stringContaining('of "odd" '),
      'checkRunJobs.2.sourceInfo.checkRunSuiteId': expect.any(String),
      'checkRunJobs.3.group.name': expect.stringContaining('of "grouped" '),
      'checkRunJobs.4.checkType': expect.stringContaining('heartbeat'),
      'checkRunJobs.5.dependencies.0': expect.stringContaining('shared file'),
    })
    const unknown = { type: 'PUBLIC', region: 'mars-1' }
    const elsewhere = await run([jobOf('good', url, {})], { runLocation: unknown })
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      expect.stringContaining('must be a location'),
    ])
    expect((await sim.api.alice.get('/v1/test-sessions')).body.length).toBe(before.body.length)
  })

  it('needs a key that may create checks', async () => {
    const reader = await sim.api.as('READ_RUN')
    expect((await run([jobOf('home', url, {})], {}, reader)).status).toBe(403)
  })
})

const heartbeat = { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes' }

describe('POST /next/test-sessions/trigger', () => {
  const trigger = (more: object) => {
    sim.pass(60_000)
    return sim.api.alice.post('/next/test-sessions/trigger', {
      name: 'Triggered Session',
      shouldRecord: true,
      runLocation: region,
      checkRunSuiteId: randomUUID(),
      targetTags: [],
      environmentVariables: [],
      repoInfo: null,
      environment: null,
      testRetryStrategy: null,
      refreshCache: false,
      ...more,
    })
  }

  it('runs deployed checks that have one of the lists of tags', async () => {
    const { alice } = sim.api
    const create = (name: string, tags: string[]) =>
      alice.post('/v1/checks/url', {
        ...{ name, tags, locations: ['eu-west-1'] },
        request: { url: 'https://example.com' },
      })
    const { body: both } = await create('Both', ['prod', 'api'])
    await create('One', ['prod'])
    const response = await trigger({
      targetTags: [['prod', 'api'], ['none']],
      environmentVariables: [{ key: 'A', value: '1' }],
    })
    expect(response.status, response.text).toBe(201)
    expect(response.body).toEqual({
      testSessionId: expect.any(String),
      checks: [{ id: both.id, name: 'Both' }],
      sequenceIds: { [both.id]: expect.any(String) },
      testResultIds: { [both.id]: expect.any(String) },
    })
    const unrecorded = await trigger({ checkId: [both.id], shouldRecord: false })
    expect(Object.keys(unrecorded.body).sort()).toEqual(['checks', 'sequenceIds'])
    const { body: listed } = await alice.get('/v1/test-sessions?limit=1')
    expect(listed.entries[0]).toMatchObject({ id: response.body.testSessionId, provider: 'TRIGGER' })
  })

  it('says in a field of its own that nothing matches', async () => {
    const response = await trigger({ targetTags: [['nowhere']] })
    expect(response.status).toBe(403)
    expect(response.body).toMatchObject({
      statusCode: 403,
      error: 'Forbidden',
      message: 'No matching checks were found.',
      errorCode: 'ERR_NO_MATCHING_CHECKS',
    })
  })
})

describe('what clients read after a run', () => {
  it('is for the account of the session only: links, log and data', async () => {
    const { alice, bob } = sim.api
    const response = await run([jobOf('home', url, {})])
    const { testSessionId, testResultIds, sequenceIds } = response.body
    const job = (await agent.claim({ checkTypes: ['URL'] })).find(({ runId }) => runId === sequenceIds.home)
    if (job === undefined) throw new Error('expected a job')
    const detail = JSON.stringify({
      observed: { request: { method: 'GET', url: 'https://example.com/', data: '' } },
      assertions: [],
      jobLog: [{ time: 1, level: 'INFO', msg: 'a line' }],
    })
    await agent.report({ ...job, ...refused, detail })
    const key = encodeURIComponent(`${testSessionId}/${testResultIds.home}`)
    const paths = {
      log: `/next/assets/log/eu-west-1/${key}`,
      data: `/next/assets/check-run-data/eu-west-1/${key}`,
      link: `/next/test-sessions/${testSessionId}/link`,
      links: `/next/test-sessions/${testSessionId}/results/${testResultIds.home}/links`,
    }
    const read = async (path: string) => (await alice.get(path)).body
    expect(await read(paths.log)).toEqual({
      setup: [],
      request: [{ time: 1, level: 'INFO', msg: 'a line' }],
      teardown: [],
    })
    expect(await read(paths.data)).toMatchObject({ request: { data: '' }, assertions: [] })
    expect(await read(paths.link)).toEqual({ link: expect.stringMatching(/^http:\/\/vedette\.test\/r\//) })
    expect(await read(paths.links)).toEqual({
      testResultLink: expect.stringMatching(/^http:\/\/vedette\.test\/r\//),
      testTraceLinks: [],
      videoLinks: [],
      screenshotLinks: [],
    })
    for (const path of Object.values(paths)) expect((await bob.get(path)).status).toBe(404)
  })
})

describe('snapshots', () => {
  it('go to the agent, and those that a run has written back to the client, within the account', async () => {
    const { alice, bob } = sim.api
    const uploaded = await fetch(`${sim.api.url}/next/checkly-storage/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.key}`, 'content-type': 'application/octet-stream' },
      body: 'an old picture',
    })
    const { key }: { key: string } = JSON.parse(await uploaded.text())
    const path = 'a/home.spec.ts-snapshots/home-chromium-linux.png'
    const browser = {
      ...{ name: 'Visual', checkType: 'BROWSER', script: 'x', scriptPath: 'a/home.spec.ts' },
      playwrightConfig: { use: { baseURL: 'https://example.com' } },
      snapshots: [{ key, path }],
    }
    const checkRunSuiteId = randomUUID()
    const response = await run([jobOf('visual', browser, { checkRunSuiteId, updateSnapshots: true })])
    expect(response.status, response.text).toBe(202)
    const [job] = await agent.claim({ freeCode: 1, checkTypes: ['BROWSER'] })
    if (job === undefined) throw new Error('expected a job')
    const { playwrightConfig, snapshots } = browser
    expect(job.check).toMatchObject({ playwrightConfig, snapshots, updateSnapshots: true })
    const download = (token: string) =>
      fetch(`${sim.api.url}/agent/v1/snapshots/${encodeURIComponent(key)}`, {
        headers: { authorization: `Bearer ${sim.api.builtInKey}`, 'x-run-token': token },
      })
    expect(await (await download(job.token)).text()).toBe('an old picture')
    expect((await download('forged')).status).toBe(403)

    const file = await uploadFile(sim.api, alice.accountId, { name: path, content: 'a new picture' })
    await agent.report({ ...job, detail: '{}', artifacts: [file] })
    const client = new MqttClient(sim.api.url)
    await client.logIn(alice.accountId, alice.key)
    await client.subscribe(`account/${alice.accountId}/ad-hoc-check-results/${checkRunSuiteId}/+/+/+`)
    await client.nextMessage()
    const message = await client.nextMessage()
    client.close()
    const [written] = message?.payload.result.assets.snapshots ?? []
    expect(written).toEqual({ key: expect.any(String), path })
    const fetched = await alice.post('/next/checkly-storage/download', { key: written.key })
    expect(fetched.text).toBe('a new picture')
    for (const other of [key, written.key])
      expect((await bob.post('/next/checkly-storage/download', { key: other })).status).toBe(404)
  })
})
