import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBucket, type TestBucket } from './bucket.fixture.ts'
import type { BucketOptions } from './bucket.ts'
import { bucketKey } from './bucket-signature.fixture.ts'
import { openS3 } from './s3.ts'

const account = randomUUID()
const bytes = Buffer.from(Array.from({ length: 400_000 }, (_, index) => (index * 13) % 256))
const blob = { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length }
const received = () => ({ ...blob, path: join(folder, 'received'), discard: async () => undefined })
const settings = { bucket: 'artifacts', addressing: 'path', sessionToken: null, prefix: 'p/' } as const

let folder: string
let bucket: TestBucket
const closers: (() => void)[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-s3-'))
  writeFileSync(join(folder, 'received'), bytes)
  bucket = await startBucket('artifacts')
})
afterEach(async () => {
  for (const close of closers.splice(0)) close()
  await bucket.close()
  rmSync(folder, { recursive: true })
})

function open(options: BucketOptions = {}) {
  const s3 = openS3({ ...settings, ...bucketKey, url: bucket.url }, { pausesMs: [1, 1], ...options })
  closers.push(s3.close)
  return s3
}

async function read(s3: ReturnType<typeof open>, range?: { start: number; end: number }) {
  const stream = await s3.open(account, blob, range)
  return stream === null ? null : Buffer.concat(await stream.toArray())
}

const key = `p/${account}/${blob.sha256.slice(0, 2)}/${blob.sha256}`

describe('an upload', () => {
  it('that is interrupted is repeated completely', async () => {
    bucket.next((request) => void request.once('data', () => request.socket.destroy()))
    await open().put(account, received())
    expect(bucket.objects.get(key)?.equals(bytes)).toBe(true)
  })

  it('fails after its attempts, and leaves no object', async () => {
    bucket.fail(0, 503, 0)
    await expect(open().put(account, received())).rejects.toThrow(/^The bucket does not respond at 127/)
    expect([...bucket.objects.keys()]).toEqual([])
  })

  it('to a bucket that reads nothing times out', async () => {
    const deaf = () => undefined
    bucket.next(deaf, deaf, deaf)
    const placed = open({ idleMs: 100 }).put(account, received())
    await expect(placed).rejects.toThrow(
      /sent or received no byte for 0.1 s|did not complete the response headers/,
    )
  })

  it('ends with an endless response, and the next one works', async () => {
    const endless = (status: number) => (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(status)
      const more = () => !response.destroyed && response.write(Buffer.alloc(4_096, 'x'), () => more())
      more()
    }
    const s3 = open()
    bucket.next(endless(200))
    await s3.put(account, received())
    bucket.next(endless(403))
    await expect(s3.put(account, received())).rejects.toThrow('The bucket responded to PUT with 403')
    await s3.put(account, received())
    expect(bucket.objects.size).toBe(1)
  })

  it('that takes too long for the service is repeated', async () => {
    const late = '<Error><Code>RequestTimeout</Code></Error>'
    bucket.next((_request, response) => void response.writeHead(400).end(late))
    await open().put(account, received())
    expect(bucket.objects.has(key)).toBe(true)
  })
})

describe('a download', () => {
  beforeEach(() => void bucket.objects.set(key, bytes))
  const part = { start: 100_000, end: 350_000 }
  const brokenOff =
    (start: number, end: number): Parameters<TestBucket['next']>[0] =>
    (_request, response) => {
      const isPart = start > 0
      const range = isPart ? { 'content-range': `bytes ${start}-${part.end}/${bytes.length}` } : {}
      response.writeHead(isPart ? 206 : 200, range)
      response.write(bytes.subarray(start, end), () => response.destroy())
    }

  it('that is interrupted resumes', async () => {
    bucket.next(brokenOff(0, 150_000))
    expect((await read(open()))?.equals(bytes)).toBe(true)
    bucket.next(brokenOff(part.start, 200_000))
    expect((await read(open(), part))?.equals(bytes.subarray(part.start, part.end + 1))).toBe(true)
    expect(bucket.seen.filter((line) => line === 'GET 206')).toHaveLength(2)
  })

  it('that stalls resumes', async () => {
    bucket.next((_request, response) => void response.writeHead(200).write(bytes.subarray(0, 1_000)))
    expect((await read(open({ idleMs: 200 })))?.equals(bytes)).toBe(true)
  })

  it('that is interrupted repeatedly fails, and never counts as complete', async () => {
    const nothing: Parameters<TestBucket['next']>[0] = (request, response) => {
      const [, first = '0'] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? []
      const range = { 'content-range': `bytes ${first}-${bytes.length - 1}/${bytes.length}` }
      response.writeHead(request.headers.range ? 206 : 200, range)
      response.flushHeaders()
      setImmediate(() => response.destroy())
    }
    bucket.next(brokenOff(0, 150_000), nothing, nothing, nothing, nothing)
    await expect(read(open())).rejects.toThrow(/repeatedly closed the connection after \d+ of 400000 bytes/)
  })

  it('of more bytes than stored fails', async () => {
    bucket.next((_request, response) => {
      response.writeHead(200)
      response.end(Buffer.concat([bytes, bytes]))
    })
    await expect(read(open())).rejects.toThrow('more than 400000 bytes')
  })

  it('of an object that was truncated externally counts as missing', async () => {
    bucket.objects.set(key, bytes.subarray(0, 200_000))
    expect(await read(open())).toBeNull()
    expect(await read(open(), { start: 0, end: 9 })).toBeNull()
    expect(await read(open(), { start: 300_000, end: 300_009 })).toBeNull()
  })

  it('that is abandoned closes its connection', async () => {
    const s3 = open()
    for (let turn = 0; turn < 20; turn++) (await s3.open(account, blob))?.destroy()
    expect((await read(s3))?.equals(bytes)).toBe(true)
  })

  it('from a service without range requests fails with a reason', async () => {
    bucket.next((_request, response) => void response.writeHead(200).end(bytes))
    await expect(read(open(), part)).rejects.toThrow('ignores range requests')
  })
})
