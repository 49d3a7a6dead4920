// Faults of the file storage: the bucket is unavailable, bytes are truncated or missing, the directory isn't writable.
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucket, type TestBucket } from '../../blobs/bucket.fixture.ts'
import { bucketKey } from '../../blobs/bucket-signature.fixture.ts'
import { scheduledAtOf } from '../../ingest/result-id.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { tarGzOf } from '../../testing/archives.ts'
import { createArtifact } from '../../testing/artifacts.ts'
import { insertResults } from '../../testing/results.ts'

let bucket: TestBucket
const apis: Record<string, TestApi> = {}
beforeAll(async () => {
  bucket = await startBucket('artifacts')
  apis.disk = await startTestApi()
  apis.s3 = await startTestApi({
    BLOB_STORE: 's3',
    S3_URL: bucket.url,
    S3_BUCKET: 'artifacts',
    S3_REGION: bucketKey.region,
    S3_ACCESS_KEY_ID: bucketKey.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucketKey.secretAccessKey,
  })
})
afterAll(async () => {
  for (const api of Object.values(apis)) await api.close()
  await bucket.close()
})

const apiOf = (kind: string) => apis[kind] as TestApi
const shaOf = (content: string) => createHash('sha256').update(content).digest('hex')

/** The address of a new file, to be asked for with Alice's key. */
async function fileOf(api: TestApi, content: string): Promise<string> {
  const { accountId } = api.alice
  const checkId = (await api.alice.post('/v1/checks/browser', checkTypes.BROWSER.example)).body.id
  const result = { accountId, checkId, checkType: 'BROWSER' as const, scheduledAt: Date.now() }
  const resultId = (await insertResults(api.store, [result]))[0] as string
  const of = { accountId, checkId, resultId, scheduledAt: scheduledAtOf(resultId) as number }
  const id = await createArtifact(api, of, { content, name: 'shot.png' })
  return `/v1/assets/check-results/${checkId}/${resultId}/files/${id}`
}

const pathsOf = (api: TestApi, content: string) => {
  const key = `${api.alice.accountId}/${shaOf(content).slice(0, 2)}/${shaOf(content)}`
  return { key, path: join(api.config.DATA_DIR, 'artifacts', key) }
}

async function isStored(api: TestApi, content: string): Promise<unknown> {
  const { rows } = await api.store.pool.query('select is_stored from blobs where sha256 = $1', [
    shaOf(content),
  ])
  return rows[0]?.is_stored
}

describe.each(['disk', 's3'])('a truncated file: %s', (kind) => {
  it('404: whole or in part, as if it were not there, until it is uploaded again', async () => {
    const api = apiOf(kind)
    const content = `cut ${kind} ${'x'.repeat(5_000)}`
    const url = await fileOf(api, content)
    const { key, path } = pathsOf(api, content)
    if (kind === 'disk') truncateSync(path, 100)
    else bucket.objects.set(key, Buffer.from(content).subarray(0, 100))
    for (const range of [{}, { range: 'bytes=0-9' }, { range: 'bytes=4000-' }] as Record<string, string>[]) {
      const response = await api.alice.send('GET', url, undefined, range)
      expect([response.status, response.body.message]).toEqual([404, 'The file is no longer stored.'])
      for (const name of ['etag', 'content-disposition', 'content-range'])
        expect(response.headers.get(name), name).toBeNull()
      expect(response.headers.get('cache-control') ?? '').not.toMatch(/max-age/)
    }
    expect(await isStored(api, content)).toBe(false)
    await fileOf(api, content)
    expect((await api.alice.get(url)).text).toBe(content)
  })
})

describe('a bucket that is away', () => {
  it("503: an error instead of the file, which isn't treated as lost", async () => {
    const api = apiOf('s3')
    const url = await fileOf(api, 'away')
    bucket.fail(503, 0, 503)
    const response = await api.alice.get(url)
    expect([response.status, response.body.message]).toEqual([
      503,
      'The storage for files is not available. Try again later, or ask the operator to check it.',
    ])
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(response.text).not.toMatch(/SlowDown|127\.0\.0\.1/)
    expect(await isStored(api, 'away')).toBe(true)
    expect((await api.alice.get(url)).text).toBe('away')
  })

  it('503: to uploads, of which nothing is named', async () => {
    const api = apiOf('s3')
    const archive = tarGzOf({ 'package.json': '{"name": "away"}' })
    const count = async () => (await api.store.pool.query('select from code_bundles')).rowCount
    const before = await count()
    bucket.fail(503, 503, 503)
    expect((await api.alice.send('POST', '/v1/code-bundles', archive)).status).toBe(503)
    expect(await count()).toBe(before)
    expect((await api.alice.send('POST', '/v1/code-bundles', archive)).status).toBe(201)
  })

  it("aborts the download, so that the client doesn't take it for complete", async () => {
    const api = apiOf('s3')
    const content = 'y'.repeat(300_000)
    const url = await fileOf(api, content)
    bucket.next((_request, response) => {
      response.writeHead(200, { 'content-length': content.length })
      response.write(content.slice(0, 100_000), () => response.destroy())
    })
    bucket.next((_request, response) => void response.writeHead(403).end())
    const response = await fetch(api.url + url, { headers: { authorization: `Bearer ${api.alice.key}` } })
    expect(response.status).toBe(200)
    const read = response.text().then((text) => text.length)
    await expect(read).rejects.toThrow(/terminated/)
    expect((await api.alice.get(url)).text).toBe(content)
  })
})

describe("a directory that isn't writable", () => {
  it('503: to uploads; existing files are served, and uploads work again later', async () => {
    const api = apiOf('disk')
    const url = await fileOf(api, 'before')
    const incoming = join(api.config.DATA_DIR, 'artifacts.incoming')
    rmSync(incoming, { recursive: true, force: true })
    // Not a matter of rights: the tests may run as root.
    writeFileSync(incoming, '')
    const archive = tarGzOf({ 'package.json': '{"name": "folder"}' })
    const response = await api.alice.send('POST', '/v1/code-bundles', archive)
    expect([response.status, response.body.message]).toEqual([
      503,
      'The storage for files is not available. Try again later, or ask the operator to check it.',
    ])
    expect((await api.alice.get(url)).text).toBe('before')
    rmSync(incoming)
    expect((await api.alice.send('POST', '/v1/code-bundles', archive)).status).toBe(201)
  })

  it('is found when it is looked at', async () => {
    const api = apiOf('disk')
    await api.blobs.probe()
    const { path } = pathsOf(api, 'before')
    expect(dirname(path)).toContain(api.config.DATA_DIR)
    const folder = join(api.config.DATA_DIR, 'artifacts')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    await expect(api.blobs.probe()).rejects.toThrow(/EEXIST|ENOTDIR/)
    rmSync(folder)
    mkdirSync(folder)
    chmodSync(folder, 0o700)
    await api.blobs.probe()
  })
})
