import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Job, maxArtifactBytes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import { deleteQuotas, noQuotas, putQuotas } from '../../storage/accounts/quotas.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { tarGzOf } from '../../testing/archives.ts'

let api: TestApi
let now = Date.UTC(2026, 10, 15, 8)
let key: string
let job: Job
let checkId: string
const agentId = '7b1c6f2e-2f0e-4a52-9a36-0d9a5a0c7a11'

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  key = (await insertAgentKey(api.store.db, 'test')).rawKey
  const bundle = await api.alice.send('POST', '/v1/code-bundles', tarGzOf({ 'package.json': '{}' }))
  const check = await api.alice.post('/v1/checks/playwright', {
    name: 'Suite',
    locations: ['eu-west-1'],
    frequency: 1,
    frequencyOffset: 10,
    codeBundlePath: bundle.body.codeBundlePath,
  })
  expect(check.status, check.text).toBe(201)
  checkId = check.body.id
  now += 120_000
  const claimed = await agent('POST', 'claim', {
    agentId,
    version: '0.1.0',
    locations: ['eu-west-1'],
    checkTypes: ['PLAYWRIGHT'],
    freeNetwork: 0,
    freeCode: 1,
    waitSeconds: 0,
  })
  job = claimed.body.jobs[0]
  expect(job.checkId).toBe(checkId)
})
afterAll(() => api.close())

const sha = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

const agent = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.alice.send(method, `/agent/v1/${path}`, body, { authorization: `Bearer ${key}`, ...headers })

const withToken = () => ({ 'x-run-token': job.token, 'content-type': 'application/octet-stream' })

const put = (bytes: string | Buffer, headers: Record<string, string> = withToken()) =>
  agent('PUT', `artifacts/${sha(bytes)}`, bytes, headers)

const incoming = () => {
  const folder = join(api.config.DATA_DIR, 'artifacts.incoming')
  return existsSync(folder) ? readdirSync(folder) : []
}

async function wanted(...sha256: string[]): Promise<string[]> {
  const response = await agent('POST', 'artifacts/wanted', { agentId, token: job.token, sha256 })
  expect(response.status, response.text).toBe(200)
  return response.body.wanted
}

describe('PUT /agent/v1/artifacts/{sha256}', () => {
  it('200: stores the bytes; afterwards they are no longer wanted', async () => {
    expect(await wanted(sha('one'), sha('two'), sha('one'))).toEqual([sha('one'), sha('two')])
    const response = await put('one')
    expect([response.status, response.body]).toEqual([200, { serverTime: now, sizeBytes: 3 }])
    expect(await wanted(sha('one'), sha('two'))).toEqual([sha('two')])
    expect(incoming()).toEqual([])
  })

  it('402: refuses files beyond the quota of the account, and says how much is stored', async () => {
    const { pool } = api.store
    const { body } = await api.alice.get('/v1/usage/quotas')
    const { used } = body.artifactBytes
    expect(used).toBeGreaterThan(0)
    await putQuotas(pool, api.alice.accountId, { ...noQuotas, artifactBytes: used + 10 })
    expect((await put('ten bytes!')).status).toBe(200)
    const refused = await put('x')
    expect([refused.status, refused.body.message]).toEqual([
      402,
      expect.stringMatching(/^The quota of this account is 0\.0 MB of files, and 0\.0 MB are stored\./),
    ])
    expect(await wanted(sha('x'))).toEqual([sha('x')])
    await deleteQuotas(pool, api.alice.accountId)
    expect((await put('x')).status).toBe(200)
  })

  it('200: accepts any content type, and an empty file', async () => {
    const type = { 'content-type': 'application/json' }
    expect((await put('{"a": ', { ...withToken(), ...type })).status).toBe(200)
    expect((await put('')).status).toBe(200)
  })

  it('200: concurrent uploads of the same bytes are stored once', async () => {
    const bytes = Buffer.alloc(3_000_000, 5)
    const responses = await Promise.all(Array.from({ length: 5 }, () => put(bytes)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const { rows } = await api.store.pool.query('select size_bytes from blobs where sha256 = $1', [
      sha(bytes),
    ])
    expect(rows).toEqual([{ size_bytes: 3_000_000 }])
    expect(incoming()).toEqual([])
  })

  it("400: bytes that don't match the hash in the path", async () => {
    const response = await agent('PUT', `artifacts/${sha('other')}`, 'this', withToken())
    expect(response.status).toBe(400)
    expect(response.body.message).toContain(sha('this'))
    expect(await wanted(sha('other'), sha('this'))).toHaveLength(2)
    expect(incoming()).toEqual([])
  })

  it("400: a path that isn't a hash", async () => {
    const response = await agent('PUT', 'artifacts/abc', 'x', withToken())
    expect([response.status, Object.keys(response.body.attributes)]).toEqual([400, ['sha256']])
  })

  it('413: names the limit', async () => {
    const told = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('maximum')) {
          socket.destroy()
          resolve(text)
        }
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
      socket.write(
        `PUT /agent/v1/artifacts/${sha('x')} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
          `x-run-token: ${job.token}\r\ncontent-length: ${maxArtifactBytes + 1}\r\n\r\nabc`,
      )
    })
    expect(told).toMatch(/^HTTP\/1\.1 413 /)
    expect(told).toContain(`larger than ${maxArtifactBytes} bytes`)
    expect(incoming()).toEqual([])
  })

  it('415: a file is sent as it is', async () => {
    const response = await put('zipped', { ...withToken(), 'content-encoding': 'gzip' })
    expect(response.status).toBe(415)
  })

  it('401 without a key; 403 without the lease of a run, and with one of another location', async () => {
    for (const bearer of ['va_nobody', api.alice.key])
      expect((await put('x', { ...withToken(), authorization: `Bearer ${bearer}` })).status).toBe(401)
    for (const token of ['', 'abc', `${job.token}x`]) {
      const response = await put('x', { ...withToken(), 'x-run-token': token })
      expect(response.status).toBe(403)
      expect(response.body.message).toContain('x-run-token')
    }
    const office = await api.alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
    const authorization = `Bearer ${office.body.keys[0].rawKey}`
    expect((await put('x', { ...withToken(), authorization })).status).toBe(403)
  })

  it('leaves nothing of an upload that breaks off', async () => {
    const bytes = Buffer.alloc(200_000, 9)
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    socket.write(
      `PUT /agent/v1/artifacts/${sha(bytes)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `x-run-token: ${job.token}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    )
    socket.write(bytes.subarray(0, 100_000))
    await expect.poll(incoming).toHaveLength(1)
    socket.destroy()
    await expect.poll(incoming).toEqual([])
    expect(await wanted(sha(bytes))).toEqual([sha(bytes)])
  })
})

describe('POST /agent/v1/artifacts/wanted', () => {
  it('403: without a lease of this agent', async () => {
    const response = await agent('POST', 'artifacts/wanted', { agentId, token: 'abc', sha256: [] })
    expect(response.status).toBe(403)
  })

  it('400: an invalid hash', async () => {
    const response = await agent('POST', 'artifacts/wanted', { agentId, token: job.token, sha256: ['x'] })
    expect([response.status, Object.keys(response.body.attributes)]).toEqual([400, ['sha256.0']])
  })
})

describe('GET /agent/v1/code-bundle', () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${api.url}/agent/v1/code-bundle`, { headers: { authorization: `Bearer ${key}`, ...headers } })

  it("200: the archive of the run's suite", async () => {
    const response = await get({ 'x-run-token': job.token })
    expect(response.status).toBe(200)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes).toEqual(tarGzOf({ 'package.json': '{}' }))
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    const { rows } = await api.store.pool.query('select last_used_at from code_bundles where size_bytes > 0')
    expect(rows).toEqual([{ last_used_at: new Date(now).toISOString() }])
  })

  it('403 without a lease; 404 naming a bundle that is not there', async () => {
    expect((await get({})).status).toBe(403)
    // As an earlier release accepted it.
    const gone = { codeBundlePath: 'code-bundles/gone.tar.gz' }
    await api.store.pool.query('update checks set settings = settings || $2 where id = $1', [checkId, gone])
    const response = await get({ 'x-run-token': job.token })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('code-bundles/gone.tar.gz')
  })
})
