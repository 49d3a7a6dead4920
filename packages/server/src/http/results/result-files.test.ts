import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scheduledAtOf } from '../../ingest/result-id.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { createArtifact, type SomeFile } from '../../testing/artifacts.ts'
import { insertResults } from '../../testing/results.ts'

let api: TestApi
let now = Date.UTC(2026, 10, 15, 8)
let checkId: string
let resultId: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  checkId = (await api.alice.post('/v1/checks/browser', checkTypes.BROWSER.example)).body.id
  const result = { accountId: api.alice.accountId, checkId, checkType: 'BROWSER' as const, scheduledAt: now }
  resultId = (await insertResults(api.store, [result]))[0] as string
})
afterAll(() => api.close())

const create = (file: SomeFile) =>
  createArtifact(
    api,
    { accountId: api.alice.accountId, checkId, resultId, scheduledAt: scheduledAtOf(resultId) as number },
    file,
  )

async function entryOf(name: string) {
  const { body } = await api.alice.get(
    `/v1/check-results/${checkId}/${resultId}/assets?name=${encodeURIComponent(name)}`,
  )
  expect(body.entriesTotal).toBe(1)
  return body.assets[0]
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(api.url + path, { method, headers })

describe('the link of a file', () => {
  it('200: opens it without a key, with its type, its length and nothing that could run', async () => {
    await create({ type: 'screenshot', name: 'shots/a b.png', contentType: 'image/png', content: 'pixels' })
    const entry = await entryOf('shots/a b.png')
    expect(entry).toMatchObject({ type: 'screenshot', contentType: 'image/png', sizeBytes: 6 })
    expect(entry.viewerUrl).toBeUndefined()
    const response = await get(entry.url)
    expect([response.status, await response.text()]).toEqual([200, 'pixels'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '6',
      'content-disposition': `inline; filename="a b.png"; filename*=UTF-8''a%20b.png`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=900',
    })
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  })

  it.each([
    ['text/html', 'report/index.html'],
    ['image/svg+xml', 'drawing.svg'],
    ['application/zip', 'trace.zip'],
    ['application/pdf', 'invoice.pdf'],
    ['application/xhtml+xml', 'page.xhtml'],
    ['text/xml', 'feed.xml'],
    ['text/javascript', 'run.js', 'application/octet-stream'],
    ['text/css', 'style.css', 'application/octet-stream'],
    ['text/plain; charset=utf-8', 'notes.txt'],
    ['nonsense\r\nset-cookie: a=b', 'odd "name"\n.bin', 'application/octet-stream'],
  ])('200: %s is saved, never shown', async (contentType, name, shownType = contentType) => {
    await create({ type: 'file', name, contentType, content: '<script>alert(1)</script>' })
    const response = await get((await entryOf(name)).url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w .()-]+"/)
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox;/)
    expect(response.headers.get('content-type')).toBe(shownType)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('200: of a trace there is one that opens the viewer with it', async () => {
    await create({ type: 'trace', name: 't/trace.zip', contentType: 'application/zip', content: 'PK' })
    const { url, viewerUrl } = await entryOf('t/trace.zip')
    const opened = new URL(viewerUrl)
    expect(opened.origin + opened.pathname).toBe('http://vedette.test/trace-viewer/')
    expect(opened.searchParams.get('trace')).toBe(`http://vedette.test${url}`)
  })

  it('403: expired, forged or for another file', async () => {
    await create({ name: 'signed.png', content: 'signed' })
    const other = await create({ name: 'other.png', content: 'other' })
    const { url } = await entryOf('signed.png')
    const messageOf = async (path: string) => {
      const response = await get(path)
      expect(response.status).toBe(403)
      return ((await response.json()) as { message: string }).message
    }
    const forged = 'The signature does not match this link.'
    const expires = Number(/expires=(\d+)/.exec(url)?.[1])
    expect(expires).toBe(Math.floor(now / 1000) + 900)
    expect(await messageOf(url.replace(/signature=./, 'signature=~'))).toBe(forged)
    expect(await messageOf(url.replace(`expires=${expires}`, `expires=${expires + 1}`))).toBe(forged)
    expect(await messageOf(url.replace(/assets\/[^/]+\/signed/, `assets/${other}/other`))).toBe(forged)
    now += 900_000
    expect((await get(url)).status).toBe(200)
    now += 1_000
    expect(await messageOf(url)).toMatch(/expired/)
  })

  it('400 without a signature; 404 under another name, and for a deleted file', async () => {
    await create({ name: 'gone.png', content: 'gone' })
    const { url } = await entryOf('gone.png')
    expect((await get(url.replace(/\?.*/, ''))).status).toBe(400)
    expect((await get(url.replace('gone.png', 'invoice.exe'))).status).toBe(404)
    const { rows } = await api.store.pool.query(`select sha256 from artifacts where name = 'gone.png'`)
    await api.blobs.delete(api.alice.accountId, rows[0].sha256)
    const response = await get(url)
    expect([response.status, (await response.json()) as unknown]).toMatchObject([
      404,
      { message: 'The file is no longer stored.' },
    ])
    // So that the next agent that has the same bytes is asked for them.
    const { rows: blobs } = await api.store.pool.query('select is_stored from blobs where sha256 = $1', [
      rows[0].sha256,
    ])
    expect(blobs).toEqual([{ is_stored: false }])
  })
})

describe('a part of a file', () => {
  const content = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251))
  let url: string
  beforeAll(async () => {
    await create({ type: 'video', name: 'video.webm', contentType: 'video/webm', content })
    url = (await entryOf('video.webm')).url
  })

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1_000],
    ['bytes=-5', 995, 1_000],
    ['bytes=500-5000', 500, 1_000],
  ])('206: %s', async (range, start, end) => {
    const response = await get(url, { range })
    expect(response.status).toBe(206)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content.subarray(start, end))
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`)
    expect(response.headers.get('content-length')).toBe(String(end - start))
  })

  it('416: beyond its end', async () => {
    const response = await get(url, { range: 'bytes=1000-' })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe('bytes */1000')
  })

  it('If-Range: a range only of the known file; If-None-Match: no body', async () => {
    const etag = (await get(url)).headers.get('etag') as string
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    const range = 'bytes=0-9'
    expect((await get(url, { range, 'if-range': etag })).status).toBe(206)
    expect((await get(url, { range, 'if-range': '"other"' })).status).toBe(200)
    const same = await get(url, { 'if-none-match': etag })
    expect([same.status, await same.text()]).toEqual([304, ''])
  })

  it('HEAD: its length and its headers, without opening it', async () => {
    const response = await get(url, {}, 'HEAD')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe('1000')
    expect(response.headers.get('content-type')).toBe('video/webm')
    expect(await response.text()).toBe('')
  })

  it('200: an empty file is empty', async () => {
    await create({ name: 'empty.png', content: '' })
    const response = await get((await entryOf('empty.png')).url)
    expect([response.status, await response.text(), response.headers.get('content-length')]).toEqual([
      200,
      '',
      '0',
    ])
  })
})

describe('GET /v1/assets/check-results/{checkId}/{checkResultId}/files/{artifactId}', () => {
  it('200 with the key; 404 for another account, another result and what there is not', async () => {
    const id = await create({ name: 'keyed.png', content: 'keyed' })
    const path = `/v1/assets/check-results/${checkId}/${resultId}/files`
    expect((await api.alice.get(`${path}/${id}`)).text).toBe('keyed')
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.nobody.get(`${path}/${id}`)).status).toBe(401)
    expect((await api.alice.get(`${path}/${resultId}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/7b1c6f2e-2f0e-4a52-9a36-0d9a5a0c7a11`)).status).toBe(404)
    const scheduledAt = now + 1
    const result = { accountId: api.alice.accountId, checkId, checkType: 'BROWSER' as const, scheduledAt }
    const [other] = await insertResults(api.store, [result])
    const elsewhere = `/v1/assets/check-results/${checkId}/${other}/files/${id}`
    expect((await api.alice.get(elsewhere)).status).toBe(404)
  })
})
