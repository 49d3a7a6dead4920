// Two accounts, two servers on one PostgreSQL: nothing of one account is reachable with the key of the other, and hostile or
// interrupted requests leave nothing behind.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createAgentKey, operate, type Program, startAgent, startServer } from '../../drills/fleet.ts'
import { freePort } from '../../free-port.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import { clients, PublishedCli } from './published-cli.ts'
import { shopProject } from './shop-project.ts'

interface Caller {
  key: string
  accountId: string
}

/** Responses of any route: the story reads a few fields of many. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Body = any

interface Server {
  url: string
  program: Program
  environment: Record<string, string>
}

const gigabyte = 1024 ** 3

describe('two accounts and two servers', { timeout: 300_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'vedette-strangers-'))
  const database = `strangers_${randomBytes(6).toString('hex')}`
  let admin: pg.Client
  let store: pg.Client
  let first: Server
  let second: Server
  let alice: Caller
  let mallory: Caller

  beforeAll(async () => {
    const { user, password, host, port, ...rest } = inject('postgres')
    admin = new pg.Client({ user, password, host, port, ...rest })
    await admin.connect()
    await admin.query(`create database ${database}`)
    const query = `host=${encodeURIComponent(host)}&port=${port}`
    const DATABASE_URL = `postgresql://${user}:${encodeURIComponent(password)}@/${database}?${query}`
    const SECRET_KEY = 'a secret key that both servers have'
    const start = async (name: string) => {
      const at = await freePort()
      const environment = { DATABASE_URL, SECRET_KEY, PORT: String(at), DATA_DIR: join(home, name) }
      const program = await startServer(environment)
      return { url: `http://127.0.0.1:${at}`, program, environment, first: program.first }
    }
    const one = await start('one')
    if (one.first === null) throw new Error('the database was not new')
    alice = one.first
    first = one
    second = await start('two')
    store = new pg.Client({ user, password, host, port, ...rest, database })
    await store.connect()
    const printed = await operate(
      ['accounts', 'create', '--name', 'Other', '--owner-email', 'mallory@example.com', '--json'],
      one.environment,
    )
    const key = /vu_[0-9a-f]{32}/.exec(printed)?.[0] ?? ''
    const response = await fetch(`${first.url}/next/accounts`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const [account]: Body = await response.json()
    mallory = { key, accountId: account.id }
  }, 120_000)
  afterAll(async () => {
    await first?.program.kill()
    await second?.program.kill()
    await store?.end()
    await admin?.query(`drop database if exists ${database} with (force)`)
    await admin?.end()
    rmSync(home, { recursive: true, force: true })
  })

  async function send(
    by: Caller,
    method: string,
    path: string,
    body?: object | Buffer,
    server = first,
  ): Promise<{ status: number; body: Body }> {
    const isBytes = Buffer.isBuffer(body)
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${by.key}`,
        'x-checkly-account': by.accountId,
        ...(body !== undefined && {
          'content-type': isBytes ? 'application/octet-stream' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    }
  }

  const member = (type: string, logicalId: string, payload: object) => ({
    ...{ type, logicalId, member: true, payload },
  })
  const urlCheck = (logicalId: string, more: object = {}) =>
    member('check', logicalId, {
      ...{ name: logicalId, checkType: 'URL', activated: false, locations: ['eu-west-1'], frequency: 10 },
      request: { url: 'https://example.com', method: 'GET' },
      ...more,
    })
  const project = (logicalId: string, ...resources: object[]) => ({
    ...{ project: { logicalId, name: logicalId }, sharedFiles: [], resources, repoInfo: null },
  })
  const deployPath = '/v1/projects/deploy?dryRun=false&scheduleOnDeploy=false'
  const deploy = (body: object, server = first) => send(alice, 'POST', deployPath, body, server)
  const completionOf = (logicalId: string, id: string, server = first) =>
    send(
      alice,
      'GET',
      `/v1/projects/${logicalId}/deployments/${id}/completion?maxWaitSeconds=30`,
      undefined,
      server,
    )

  /** Of everything that a deployment or an upload may write, except the log of deployments. */
  async function count() {
    const tables = [
      'projects',
      'project_resources',
      'import_plans',
      'checks',
      'check_groups',
      'code_bundles',
      'blobs',
    ]
    const { rows } = await store.query<Record<string, string>>(
      `select ${tables.map((table) => `(select count(*) from ${table}) as ${table}`).join(', ')}`,
    )
    const files = readdirSync(join(home, 'one'), { recursive: true, withFileTypes: true })
    const blobs = files.filter(
      (file) => file.isFile() && /blobs|artifacts|uploads/.test(file.parentPath),
    ).length
    return { ...rows[0], blobFiles: blobs }
  }

  it('shows nothing of an account to the other one', async () => {
    const upload = (path: string, bytes: Buffer) =>
      send(alice, 'POST', `/next/checkly-storage/${path}`, bytes)
    const bundle = await upload('upload-code-bundle', gzipSync(Buffer.alloc(1024)))
    const snapshot = await upload('upload', Buffer.from('a picture'))
    expect([bundle.status, snapshot.status]).toEqual([200, 200])
    expect((await count()).blobFiles).toBe(2)
    await send(alice, 'POST', '/v1/checks/url', {
      ...{
        name: 'By hand',
        activated: false,
        locations: ['eu-west-1'],
        request: { url: 'https://example.com' },
      },
    })
    const { body: accepted } = await deploy(project('shop', urlCheck('home')))
    expect((await completionOf('shop', accepted.id)).body.status).toBe('SUCCEEDED')
    const { body: plan } = await send(alice, 'POST', '/next/projects/shop/imports', {
      filters: [{ type: 'include' }],
    })
    const suite = randomUUID()
    const { body: test } = await send(alice, 'POST', '/v1/test-sessions/run', {
      ...{ name: 'Shop', project: { logicalId: 'shop' }, sharedFiles: [], repoInfo: null, environment: null },
      ...{ runLocation: { type: 'PUBLIC', region: 'eu-west-1' }, shouldRecord: true, streamLogs: false },
      checkRunJobs: [
        {
          ...{ name: 'Home', checkType: 'URL', groupId: null, logicalId: 'home', filePath: 'home.check.ts' },
          request: { url: 'https://example.com', method: 'GET' },
          sourceInfo: { checkRunSuiteId: suite, checkRunId: randomUUID(), updateSnapshots: false },
        },
      ],
    })
    const session = test.testSessionId
    const [result] = Object.values(test.testResultIds)
    const deployment = `/v1/projects/shop/deployments/${accepted.id}`
    const asked: [string, string, object?][] = [
      ['GET', '/next/projects/shop'],
      ['GET', deployment],
      ['GET', `${deployment}/events`],
      ['GET', `${deployment}/completion?maxWaitSeconds=1`],
      ['POST', `${deployment}/cancel`],
      ['GET', '/next/projects/shop/imports'],
      ['POST', `/next/projects/imports/${plan.id}/apply`],
      ['POST', `/next/projects/imports/${plan.id}/commit`],
      ['DELETE', `/next/projects/imports/${plan.id}`],
      ['POST', '/next/checkly-storage/download', { key: bundle.body.key }],
      ['POST', '/next/checkly-storage/download', { key: snapshot.body.key }],
      ['GET', `/v1/test-sessions/${session}`],
      ['GET', `/v1/test-sessions/${session}/completion?maxWaitSeconds=1`],
      ['POST', `/v1/test-sessions/${session}/cancel`],
      ['GET', `/v1/test-sessions/scheduling/${test.schedulingId}/completion?maxWaitSeconds=1`],
      ['GET', `/next/test-sessions/${session}/link`],
      ['GET', `/next/test-sessions/${session}/results/${result}/links`],
      ['GET', `/v1/test-sessions/${session}/results/${result}`],
      ['GET', `/v1/test-sessions/${session}/results/${result}/assets`],
      ['GET', `/next/assets/log/eu-west-1/${encodeURIComponent(`${session}/${result}`)}`],
      ['GET', `/next/assets/check-run-data/eu-west-1/${encodeURIComponent(`${session}/${result}`)}`],
    ]
    const before = await count()
    for (const [method, path, body] of asked) {
      const { status, body: answer } = await send(mallory, method, path, body)
      expect([method, path, status], JSON.stringify(answer)).toEqual([method, path, 404])
    }
    for (const path of ['/next/projects', '/next/projects/imports', '/v1/checks', '/v1/test-sessions']) {
      const { status, body } = await send(mallory, 'GET', path)
      expect([path, status, Array.isArray(body) ? body : body.entries]).toEqual([path, 200, []])
    }
    // Clients destroy projects that they don't know with 200: nothing happens.
    expect((await send(mallory, 'DELETE', '/v1/projects/shop')).status).toBe(200)
    // The account of another one is refused, with any key.
    const foreign = { key: mallory.key, accountId: alice.accountId }
    expect((await send(foreign, 'GET', '/next/projects/shop')).status).toBeGreaterThanOrEqual(400)
    expect((await send(mallory, 'GET', `/next/accounts/${alice.accountId}`)).status).toBeGreaterThanOrEqual(
      400,
    )
    expect(await count()).toEqual(before)
    expect((await send(alice, 'GET', '/next/projects/shop')).status).toBe(200)
    await send(alice, 'POST', `/v1/test-sessions/${session}/cancel`)
    await send(alice, 'DELETE', `/next/projects/imports/${plan.id}`)
  })

  it('refuses broken, endless and circular input, in bounded memory', async () => {
    const before = await count()
    const peakMb = () => {
      const status = readFileSync(`/proc/${first.program.pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
    }
    const peak = peakMb()
    const bundlePath = '/next/checkly-storage/upload-code-bundle'
    const malformed = await send(alice, 'POST', bundlePath, Buffer.from('not an archive'))
    expect(malformed.status, JSON.stringify(malformed.body)).toBe(400)
    const zeros = gzipSync(Buffer.alloc(100 * 1024 * 1024))
    const bombs = gzipSync(Buffer.concat(Array.from({ length: 64 }, () => zeros)))
    const bomb = await send(alice, 'POST', bundlePath, bombs)
    expect([bomb.status, bomb.body.message]).toEqual([400, expect.any(String)])
    // Members of gzip may follow each other: 2.5 GB in 2.5 MB.
    const many = Buffer.concat(Array.from({ length: 25 }, () => zeros))
    const large = await send(alice, 'POST', bundlePath, many)
    expect([large.status, large.body.message]).toEqual([400, expect.stringContaining('larger than 2048 MB')])
    const framings: Record<string, string>[] = [
      { 'content-length': String(gigabyte) },
      { 'transfer-encoding': 'chunked' },
    ]
    for (const path of [bundlePath, '/next/checkly-storage/upload', '/v1/projects/deploy'])
      for (const headers of framings) {
        const status = await pour(path, headers)
        // A bundle is refused at its first bytes: they aren't those of an archive.
        expect([path, status]).toEqual([path, path === bundlePath ? expect.toBeOneOf([400, 413]) : 413])
      }
    const circle = (logicalId: string, parent: string) =>
      member('status-page-component', logicalId, {
        ...{ statusPageId: { ref: 'page' }, parentId: { ref: parent }, type: 'GROUP', name: logicalId },
        ...{ displayOrder: 0, configuration: { expandedByDefault: true } },
      })
    const page = member('status-page', 'page', { name: 'P', url: `p-${randomUUID()}`, version: 3 })
    const { status, body } = await deploy(project('circle', page, circle('a', 'b'), circle('b', 'a')))
    const refused =
      status === 202 ? (await completionOf('circle', body.id)).body : { status: 'FAILED', error: body }
    expect(refused).toMatchObject({ status: 'FAILED', error: { message: expect.stringMatching(/"?[ab]"?/) } })
    console.info(`peak memory of the server: ${peak.toFixed(0)} MB before, ${peakMb().toFixed(0)} MB after`)
    expect(peakMb() - peak).toBeLessThan(300)
    expect(await count()).toEqual(before)
  })

  /** Sends a gigabyte, as long as the server receives it; resolves to the status. */
  function pour(path: string, headers: Record<string, string>): Promise<number> {
    const isDeploy = path.includes('deploy')
    return new Promise((resolve, reject) => {
      const sent = request(
        first.url + path,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${alice.key}`,
            'content-type': isDeploy ? 'application/json' : 'application/octet-stream',
            ...headers,
          },
        },
        (response) => {
          resolve(response.statusCode ?? 0)
          sent.destroy()
        },
      )
      const chunk = Buffer.alloc(64 * 1024, ' ')
      let left = gigabyte
      const pump = () => {
        while (left > 0 && !sent.destroyed) {
          left -= chunk.length
          if (!sent.write(chunk)) return void sent.once('drain', pump)
        }
        if (!sent.destroyed) sent.end()
      }
      sent.on('error', reject)
      pump()
    })
  }

  /** While the work runs, deployments wait in the middle of their transaction. */
  async function whileBlocked<T>(work: () => Promise<T>): Promise<T> {
    await store.query('begin')
    try {
      await store.query('lock table checks in exclusive mode')
      return await work()
    } finally {
      await store.query('rollback')
    }
  }

  /** Deployments: background tasks of a server may wait for the lock too. */
  const waiting = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = $1 and wait_event_type = 'Lock' and query like 'insert into checks%'`,
      [database],
    )
    return rows.map(({ pid }) => pid)
  }
  const isBlocked = () => until('the deployment waits', async () => (await waiting()).length > 0, 30_000)

  it('lets one of two deployments through two servers win', async () => {
    const one = project('race', urlCheck('race'))
    const [winner, loser] = await whileBlocked(async () => {
      const accepted = await deploy(one)
      await isBlocked()
      return [accepted, await deploy(one, second)]
    })
    expect(winner.status).toBe(202)
    expect(loser).toMatchObject({ status: 409, body: { deploymentId: winner.body.id } })
    // The other server knows how it ended.
    expect((await completionOf('race', winner.body.id, second)).body.status).toBe('SUCCEEDED')
    expect((await deploy(one, second)).status).toBe(202)
  })

  it('fails a deployment that loses its connection to the store, and changes nothing', async () => {
    const one = project('cut', urlCheck('cut one'), urlCheck('cut two'))
    const before = await count()
    const accepted = await whileBlocked(async () => {
      const response = await deploy(one)
      await isBlocked()
      for (const pid of await waiting()) await admin.query('select pg_terminate_backend($1)', [pid])
      await until('the connection is gone', async () => (await waiting()).length === 0, 30_000)
      return response
    })
    const { body } = await completionOf('cut', accepted.body.id)
    expect(body).toMatchObject({ status: 'FAILED', error: { message: expect.any(String) } })
    expect(await count()).toEqual(before)
    const again = await deploy(one)
    expect((await completionOf('cut', again.body.id)).body.status).toBe('SUCCEEDED')
  })

  it('sends the results of a session at one server to a client of the other', async () => {
    const site = await Site.open()
    const agent = startAgent({
      API_KEY: await createAgentKey(first.environment),
      SERVER_URL: first.url,
      AGENT_LOCATIONS: 'eu-west-1',
      AGENT_DATA_DIR: join(home, 'agent'),
      AGENT_HEALTH_PORT: '0',
    })
    const headers = { Authorization: `Bearer ${alice.key}` }
    const cli = await PublishedCli.install(clients[0], { baseUrl: first.url, id: alice.accountId, headers })
    try {
      const shop = cli.project('shop', shopProject(site.url('')))
      const { code, output } = await cli.run(shop, ['test', '--tags', 'quick', '--env', 'WHO=me'], {
        CHECKLY_MQTT_URL: second.url.replace('http', 'ws'),
      })
      expect(output).toContain('3 passed, 3 total')
      expect(code, output).toBe(0)
    } finally {
      cli.remove()
      await agent.kill()
      await site.shut()
    }
  })

  it('ends a deployment whose server was killed, and accepts the next one', async () => {
    const one = project('killed', urlCheck('killed one'), urlCheck('killed two'))
    const before = await count()
    const accepted = await whileBlocked(async () => {
      const response = await deploy(one, second)
      await isBlocked()
      await second.program.kill()
      return response
    })
    const { id } = accepted.body
    const ended = await until(
      'the deployment is over',
      async () => {
        const { body } = await send(alice, 'GET', `/v1/projects/killed/deployments/${id}`)
        return body.status === 'FAILED' && body
      },
      90_000,
    )
    expect(ended.error.message).toEqual(expect.any(String))
    const events = await send(alice, 'GET', `/v1/projects/killed/deployments/${id}/events`)
    expect(events.body).toContain('FAILED')
    expect(await count()).toEqual(before)
    const again = await deploy(one)
    expect(again.status).toBe(202)
    expect((await completionOf('killed', again.body.id)).body.status).toBe('SUCCEEDED')
  })
})
