import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { tarGzOf } from '../../testing/archives.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ CODE_BUNDLE_MAX_MB: '1' })
})
afterAll(() => api.close())

const archive = tarGzOf({ 'package.json': '{}', 'tests/a.spec.ts': 'x'.repeat(5_000) })
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const upload = (bytes: string | Buffer, path = '/v1/code-bundles') =>
  api.alice.send('POST', path, bytes, { 'content-type': 'application/octet-stream' })

describe.each(['/v1/code-bundles', '/next/checkly-storage/upload-code-bundle'])('POST %s', (path) => {
  const isCli = path.startsWith('/next/')

  it(`${isCli ? 200 : 201}: responds with the path that suites name it by`, async () => {
    const response = await upload(archive, path)
    expect(response.status).toBe(isCli ? 200 : 201)
    const name = /^code-bundles\/[0-9a-f-]{36}\.tar\.gz$/
    if (isCli) {
      expect(response.body).toEqual({
        key: expect.stringMatching(name),
        contentLength: archive.length,
        checksumSha256: sha256Of(archive),
        lastModified: expect.any(String),
      })
    } else {
      expect(response.body).toEqual({
        codeBundlePath: expect.stringMatching(name),
        sizeBytes: archive.length,
        sha256: sha256Of(archive),
        created_at: expect.any(String),
      })
    }
  })

  it('accepts an archive without files', async () => {
    const empty = gzipSync(Buffer.alloc(1024), { level: 9 })
    expect(empty.length).toBe(29)
    expect((await upload(empty, path)).status).toBeLessThan(300)
  })

  it.each([
    ['is empty', ''],
    ['is not compressed with gzip', '{"name": "x"}'],
    ['is not compressed with gzip', 'PK\x03\x04 a zip'],
    ['cannot be decompressed', Buffer.concat([archive.subarray(0, 10), Buffer.alloc(100, 0xff)])],
    ['cannot be decompressed', archive.subarray(0, -10)],
    ['does not contain a tar archive', gzipSync('hello '.repeat(1_000))],
    ['does not contain a tar archive', gzipSync('short')],
    ['does not contain a tar archive', gzipSync(Buffer.alloc(200_000, 'not a tar '))],
  ])('400: %s', async (words, bytes) => {
    const response = await upload(bytes, path)
    expect(response.status).toBe(400)
    expect(response.body.message).toContain(words)
  })

  it('413: names the limit, with or without a content-length', async () => {
    const noise = Buffer.alloc(1024 * 1024 + 1, archive)
    const told = await upload(noise, path)
    expect([told.status, told.body.message]).toEqual([
      413,
      expect.stringMatching(/larger than 1048576 bytes/),
    ])
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < noise.length; at += 65_536) controller.enqueue(noise.subarray(at, at + 65_536))
        controller.close()
      },
    })
    const headers = { authorization: `Bearer ${api.alice.key}` }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const foundOut = await fetch(api.url + path, init)
    expect(foundOut.status).toBe(413)
    const folder = join(api.config.DATA_DIR, 'artifacts.incoming')
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  })

  it('401 and 403: not for everyone', async () => {
    expect((await api.nobody.send('POST', path, archive)).status).toBe(401)
    const reader = await api.as('READ_ONLY')
    expect((await reader.send('POST', path, archive)).status).toBe(403)
  })
})

describe('the checksum of an archive', () => {
  const path = '/next/checkly-storage/upload-code-bundle'
  const uploadWith = (checksum: string) =>
    api.alice.send('POST', path, archive, {
      'content-type': 'application/octet-stream',
      'x-bundle-checksum-sha256': checksum,
    })

  it('200: is verified, in upper or lower case', async () => {
    expect((await uploadWith(sha256Of(archive))).status).toBe(200)
    expect((await uploadWith(sha256Of(archive).toUpperCase())).status).toBe(200)
    expect((await uploadWith('')).status).toBe(200)
  })

  it('400: differs, or is none', async () => {
    const { status, body } = await uploadWith('0'.repeat(64))
    expect([status, body.message]).toEqual([400, expect.stringContaining(sha256Of(archive))])
    expect((await uploadWith('c2hhMjU2')).body.message).toContain('64 hexadecimal digits')
  })
})

describe('POST /next/checkly-storage/peek-code-bundle', () => {
  const peek = (key: string, caller = api.alice) =>
    caller.post('/next/checkly-storage/peek-code-bundle', { key })

  it('200: says what was uploaded, also to readers', async () => {
    const { body } = await upload(archive, '/next/checkly-storage/upload-code-bundle')
    const response = await peek(body.key, await api.as('READ_ONLY'))
    expect([response.status, response.body]).toEqual([200, body])
  })

  it('404: for another account, and for a key that there is not', async () => {
    const { body } = await upload(archive, '/next/checkly-storage/upload-code-bundle')
    expect((await peek(body.key, api.bob)).status).toBe(404)
    expect((await peek('code-bundles/none')).status).toBe(404)
  })
})

it('keeps the same archive once, under as many names as it was uploaded', async () => {
  const bytes = tarGzOf({ 'once.txt': 'once' })
  const paths = [(await upload(bytes)).body.codeBundlePath, (await upload(bytes)).body.codeBundlePath]
  expect(new Set(paths).size).toBe(2)
  const { rows } = await api.store.pool.query(
    'select count(*) as names, count(distinct sha256) as blobs from code_bundles where path = any($1)',
    [paths],
  )
  expect(rows).toEqual([{ names: 2, blobs: 1 }])
})

describe('POST /next/checkly-storage/upload and /download', () => {
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254])
  const download = (key: string, bearer = api.alice.key) =>
    fetch(`${api.url}/next/checkly-storage/download`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    })

  it('200: what was uploaded comes back, byte by byte', async () => {
    const { status, body } = await upload(picture, '/next/checkly-storage/upload')
    expect([status, body]).toEqual([200, { key: expect.stringMatching(/^snapshots\//) }])
    const response = await download(body.key)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(picture)
  })

  it('404: for another account, and for a key that there is not', async () => {
    const { body } = await upload(picture, '/next/checkly-storage/upload')
    expect((await download(body.key, api.bob.key)).status).toBe(404)
    expect((await download('snapshots/none')).status).toBe(404)
  })
})
