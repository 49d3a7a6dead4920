// Follows runs over real sockets, with runs of simulated agents.
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { reportLog } from '@vedette/contracts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../testing/api.ts'
import { MqttClient } from '../testing/mqtt-client.ts'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = sim.builtIn()
})
afterAll(() => sim.close())

const filterOf = (suiteId: string, by: Caller = sim.api.alice) =>
  `account/${by.accountId}/ad-hoc-check-results/${suiteId}/+/+/+`

async function start(suiteId: string, more: object = {}): Promise<string> {
  sim.pass(60_000)
  const browser = { checkType: 'BROWSER', name: 'Home', locations: ['eu-west-1'], script: 'x' }
  const response = await sim.api.alice.post('/v1/test-sessions/drafts', {
    drafts: [{ check: browser }],
    ...more,
  })
  expect(response.status, response.text).toBe(201)
  const id: string = response.body.testSessionId
  await sim.api.store.db
    .updateTable('test_sessions')
    .set({ suite_id: suiteId, options: sql`options || '{"streamLogs": true}'` })
    .where('id', '=', id)
    .execute()
  return id
}

async function claim() {
  const [job] = await agent.claim({ freeCode: 1, checkTypes: ['BROWSER'] })
  if (job === undefined) throw new Error('expected a job')
  return job
}

async function logIn(by: Caller = sim.api.alice): Promise<MqttClient> {
  const client = new MqttClient(sim.api.url)
  expect(await client.logIn(by.accountId, by.key)).toBe(0)
  return client
}

async function receive(client: MqttClient, count: number) {
  const messages: { topic: string; payload: unknown }[] = []
  while (messages.length < count) {
    const message = await client.nextMessage()
    if (message === null) throw new Error('the server has closed the connection')
    messages.push(message)
  }
  return messages
}

const subtopics = (messages: { topic: string }[]) => messages.map(({ topic }) => topic.split('/').at(-1))

describe('live results', () => {
  it('follow a run from its start over its lines and its retry to its end, and again after each SUBSCRIBE', async () => {
    const suiteId = randomUUID()
    const client = await logIn()
    expect(client.socket.protocol).toBe('mqtt')
    // Clients subscribe before they start the session.
    expect(await client.subscribe(filterOf(suiteId))).toEqual([0])
    const sessionId = await start(suiteId, {
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 },
      shouldRecord: true,
    })
    const first = await claim()
    const lines = [
      { time: 5, level: 'INFO', msg: 'one' },
      { time: 6, level: 'INFO', msg: 'two' },
    ]
    const log = { token: first.token, firstLine: 0, lines }
    await sim.api.alice.send('POST', reportLog.path, log, { authorization: `Bearer ${sim.api.builtInKey}` })
    const begun = await receive(client, 2)
    await agent.report({ ...first, ...refused, detail: '{}' })
    await agent.report(await claim())
    const all = [...begun, ...(await receive(client, 2))]
    const root = `account/${sim.api.alice.accountId}/ad-hoc-check-results/${suiteId}/${first.runId}/`
    expect(all.every(({ topic }) => topic.startsWith(root))).toBe(true)
    expect(subtopics(all)).toEqual(['run-start', 'stream-logs', 'result', 'result'])
    const [started, logs, attempt, final] = all.map(({ payload }) => payload)
    expect(started).toEqual({})
    expect(logs).toEqual({
      logs: [
        { timestamp: 5, message: 'one' },
        { timestamp: 6, message: 'two' },
      ],
    })
    const { body: session } = await sim.api.alice.get(`/v1/test-sessions/${sessionId}`)
    const idOf = (type: string): string =>
      session.results.find((one: { resultType: string }) => one.resultType === type).testSessionResultId
    const key = `${sessionId}/${idOf('ATTEMPT')}`
    expect(attempt).toMatchObject({
      resultType: 'ATTEMPT',
      result: {
        name: 'Home',
        hasFailures: true,
        assets: { region: 'eu-west-1', logPath: key, checkRunDataPath: key },
      },
    })
    expect(final).toMatchObject({
      resultType: 'FINAL',
      testResultId: idOf('FINAL'),
      result: {
        name: 'Home',
        checkType: 'BROWSER',
        hasFailures: false,
        isCancelled: false,
        responseTime: expect.any(Number),
        startedAt: expect.stringContaining('T'),
        stoppedAt: expect.stringContaining('T'),
        runLocation: 'eu-west-1',
        sourceInfo: { checkRunSuiteId: suiteId },
      },
    })
    // The keys of the client itself.
    expect(JSON.stringify(final)).not.toMatch(/logicalId|sourceFile/)

    expect(await client.subscribe(filterOf(suiteId))).toEqual([0])
    expect(await receive(client, 4)).toEqual(all)
    const other = await logIn()
    await other.subscribe(filterOf(suiteId))
    expect(await receive(other, 4)).toEqual(all)
    client.send({ cmd: 'disconnect' })
    expect(await client.next()).toBeNull()
    other.close()
  })

  it('show a run that was canceled as a result, and one that nobody made as an error with a text', async () => {
    const [canceled, unserved] = [randomUUID(), randomUUID()]
    const client = await logIn()
    await client.subscribe(filterOf(canceled), filterOf(unserved))
    const sessionId = await start(canceled)
    expect((await sim.api.alice.post(`/v1/test-sessions/${sessionId}/cancel`)).status).toBe(204)
    const [, result] = await receive(client, 2)
    expect(result?.payload).toMatchObject({ resultType: 'FINAL', result: { isCancelled: true } })
    expect(result?.payload).not.toHaveProperty('testResultId')
    await start(unserved)
    sim.pass(60 * 60_000)
    await sim.reap()
    const [, error] = await receive(client, 2)
    expect(error?.topic.split('/').slice(3, 4)).toEqual([unserved])
    expect(subtopics(error === undefined ? [] : [error])).toEqual(['error'])
    expect(error?.payload).toEqual(expect.stringMatching(/\w+ \w+/))
    client.close()
  })

  it('are for the account of the key only', async () => {
    const { alice, bob } = sim.api
    const suiteId = randomUUID()
    const sessionId = await start(suiteId)
    const foreign = await logIn(bob)
    expect(
      await foreign.subscribe(
        filterOf(suiteId),
        `account/+/ad-hoc-check-results/${suiteId}/+/+/+`,
        '#',
        `account/${bob.accountId}/#`,
        `account/${bob.accountId}/ad-hoc-check-results/+/+/+/+`,
        '$SYS/#',
        filterOf(suiteId, bob),
      ),
    ).toEqual([128, 128, 128, 128, 128, 128, 0])
    await alice.post(`/v1/test-sessions/${sessionId}/cancel`)
    // Bob's subscription to the same suite in his own account receives nothing of Alice's.
    const own = await logIn()
    await own.subscribe(filterOf(suiteId))
    await receive(own, 2)
    foreign.send({ cmd: 'pingreq' })
    expect(await foreign.next()).toMatchObject({ cmd: 'pingresp' })
    for (const [accountId, key] of [
      [alice.accountId, bob.key],
      [bob.accountId, alice.key],
      [alice.accountId, 'cu_unknown'],
      [alice.accountId, ''],
      ['', alice.key],
    ] as const) {
      const client = new MqttClient(sim.api.url)
      expect(await client.logIn(accountId, key)).toBe(4)
      expect(await client.next()).toBeNull()
    }
    foreign.close()
    own.close()
  })

  it('end when the key is deleted', async () => {
    const { alice } = sim.api
    const key = (await alice.post('/v1/users/me/api-keys', { name: 'for a while' })).body
    const client = new MqttClient(sim.api.url)
    expect(await client.logIn(alice.accountId, key.rawKey)).toBe(0)
    expect((await alice.delete(`/v1/users/me/api-keys/${key.id}`)).status).toBe(204)
    sim.pass(10_000)
    expect(await client.next()).toBeNull()
  })

  it('are on any path, for servers behind a prefix; other upgrades stay ordinary requests', async () => {
    const client = new MqttClient(sim.api.url, { path: '/prefix?authenticationScheme=userApiKey' })
    expect(await client.logIn(sim.api.alice.accountId, sim.api.alice.key)).toBe(0)
    client.close()
    const other = new MqttClient(sim.api.url, { protocol: 'chat' })
    await expect(other.opened()).rejects.toThrow('Unexpected server response')
    const status = await new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
      request(`${sim.api.url}/healthz`, { headers }, (response) => resolve(response.statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
  })

  it('close the connection of a client that breaks the protocol', async () => {
    const { accountId, key } = sim.api.alice
    const unnamed = await new MqttClient(sim.api.url).opened()
    unnamed.send({ cmd: 'pingreq' })
    expect(await unnamed.next()).toBeNull()
    const publishing = await logIn()
    publishing.send({ cmd: 'publish', topic: 'a', payload: 'b', qos: 0, dup: false, retain: false })
    expect(await publishing.next()).toBeNull()
    const twice = await logIn()
    expect(await twice.logIn(accountId, key)).toBeUndefined()
    const large = await new MqttClient(sim.api.url).opened()
    // The header of a packet of 200 MB, and then more than the server buffers.
    large.socket.send(Buffer.from([0x10, 0x80, 0xc2, 0xaf, 0x5f]))
    for (let index = 0; index < 3; index += 1) large.socket.send(Buffer.alloc(8_000))
    expect(await large.next()).toBeNull()
    const noise = await new MqttClient(sim.api.url).opened()
    noise.socket.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    expect(await noise.next()).toBeNull()
    const newer = await new MqttClient(sim.api.url).opened()
    newer.send({ cmd: 'connect', protocolVersion: 3, protocolId: 'MQIsdp', clientId: 'x', clean: true })
    expect(await newer.next()).toMatchObject({ cmd: 'connack', returnCode: 1 })
  })
})
