import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import type { KeptBlob } from './blob-backend.ts'
import { type BlobStore, openBlobStore } from './blob-store.ts'
import { startBucket, type TestBucket } from './bucket.fixture.ts'
import { bucketKey } from './bucket-signature.fixture.ts'
import { openReceiver } from './receive.ts'

const account = randomUUID()
const nothing: KeptBlob = { sha256: 'a'.repeat(64), sizeBytes: 1 }
const dataDir = mkdtempSync(join(tmpdir(), 'vedette-blobs-'))
let bucket: TestBucket
const stores: Record<string, BlobStore> = {}

const bucketEnvironment = () => ({
  BLOB_STORE: 's3',
  S3_URL: `${bucket.url}/`,
  S3_BUCKET: 'artifacts',
  S3_REGION: bucketKey.region,
  S3_ACCESS_KEY_ID: bucketKey.accessKeyId,
  S3_SECRET_ACCESS_KEY: bucketKey.secretAccessKey,
  S3_PREFIX: '/vedette/files/',
})

beforeAll(async () => {
  bucket = await startBucket('artifacts')
  stores.disk = openBlobStore(readConfig({ DATA_DIR: join(dataDir, 'disk') }))
  stores.s3 = openBlobStore(readConfig({ DATA_DIR: join(dataDir, 's3'), ...bucketEnvironment() }))
})
afterAll(async () => {
  for (const store of Object.values(stores)) store.close()
  await bucket.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function* chunksOf(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function put(store: BlobStore, bytes: Buffer): Promise<KeptBlob> {
  const received = await store.receive(chunksOf(bytes), { maxBytes: bytes.length })
  await store.put(account, received)
  await received.discard()
  return { sha256: received.sha256, sizeBytes: received.sizeBytes }
}

async function read(stream: Readable | null): Promise<Buffer | null> {
  return stream === null ? null : Buffer.concat(await stream.toArray())
}

describe.each(['disk', 's3'])('a blob store: %s', (kind) => {
  const store = () => stores[kind] as BlobStore
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256))

  it('stores bytes under their hash and reads them back, whole and in part', async () => {
    const blob = await put(store(), bytes)
    expect(blob.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await read(await store().open(account, blob))).toEqual(bytes)
    const range = { start: 1_000, end: 200_000 }
    expect(await read(await store().open(account, blob, range))).toEqual(bytes.subarray(1_000, 200_001))
    expect(readdirSync(join(dataDir, kind, 'artifacts.incoming'))).toEqual([])
  })

  it('separates accounts, and stores nothing twice', async () => {
    const [first, second] = [await put(store(), bytes), await put(store(), bytes)]
    expect(first).toEqual(second)
    expect(await store().open(randomUUID(), first)).toBeNull()
  })

  it('stores an empty file', async () => {
    const blob = await put(store(), Buffer.alloc(0))
    expect(await read(await store().open(account, blob))).toEqual(Buffer.alloc(0))
  })

  it('deletes blobs, and ignores missing ones', async () => {
    const blob = await put(store(), Buffer.from(`gone ${kind}`))
    await store().delete(account, blob.sha256)
    expect(await store().open(account, blob)).toBeNull()
    await store().delete(account, blob.sha256)
  })

  it('leaves no files of refused or aborted uploads', async () => {
    const many = store().receive(chunksOf(bytes), { maxBytes: bytes.length - 1 })
    await expect(many).rejects.toMatchObject({ reason: 'too large' })
    const other = store().receive(chunksOf(bytes), { maxBytes: 1e9, sha256: 'a'.repeat(64) })
    await expect(other).rejects.toMatchObject({ reason: 'hash mismatch' })
    const breaking = (async function* () {
      yield bytes
      throw new Error('broke off')
    })()
    await expect(store().receive(breaking, { maxBytes: 1e9 })).rejects.toThrow('broke off')
    expect(readdirSync(join(dataDir, kind, 'artifacts.incoming'))).toEqual([])
  })
})

describe('the disk', () => {
  it('is part of backups, and only its owner can read it', async () => {
    const { sha256 } = await put(stores.disk as BlobStore, Buffer.from('where'))
    const path = join(dataDir, 'disk/artifacts', account, sha256.slice(0, 2), sha256)
    expect(readFileSync(path, 'utf8')).toBe('where')
    expect(existsSync(join(dataDir, 's3/artifacts'))).toBe(false)
  })
})

describe('a disk that fills up', () => {
  it('refuses uploads when only the reserve is left, also in the middle of a file', async () => {
    const folder = join(dataDir, 'full')
    let looks = 0
    const { receive } = openReceiver(folder, async () => ++looks < 2)
    async function* endless() {
      for (;;) yield Buffer.alloc(1024 * 1024)
    }
    await expect(receive(endless(), { maxBytes: 2 ** 30 })).rejects.toMatchObject({ reason: 'disk full' })
    expect(looks).toBe(2)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the bucket', () => {
  const s3 = () => stores.s3 as BlobStore

  it('has each object below the prefix, and every request signed', async () => {
    const { sha256 } = await put(s3(), Buffer.from('named'))
    expect(bucket.objects.get(`vedette/files/${account}/${sha256.slice(0, 2)}/${sha256}`)).toEqual(
      Buffer.from('named'),
    )
    expect(bucket.seen.filter((line) => / 4(?!04)/.test(line))).toEqual([])
  })

  it('may be temporarily busy or disconnected', async () => {
    bucket.fail(503, 0)
    const blob = await put(s3(), Buffer.from('busy'))
    expect(await read(await s3().open(account, blob))).toEqual(Buffer.from('busy'))
  })

  it('that keeps refusing is reported with its error code, without the key', async () => {
    bucket.fail(503, 503, 503)
    await expect(put(s3(), Buffer.from('refused'))).rejects.toThrow(
      'The bucket responded to PUT with 503 SlowDown',
    )
    const wrong = { ...bucketEnvironment(), S3_SECRET_ACCESS_KEY: 'another secret' }
    const stranger = openBlobStore(readConfig({ DATA_DIR: join(dataDir, 's3'), ...wrong }))
    await expect(put(stranger, Buffer.from('x'))).rejects.toThrow(
      'The bucket responded to PUT with 403 SignatureDoesNotMatch',
    )
    await expect(stranger.open(account, nothing)).rejects.toThrow(/GET with 403/)
    stranger.close()
    expect(bucket.seen).toContain('PUT 403')
  })

  it('is never accessed at a cloud metadata address', async () => {
    const config = readConfig({ ...bucketEnvironment(), S3_URL: 'http://169.254.169.254' })
    const store = openBlobStore(config)
    await expect(store.open(account, nothing)).rejects.toThrow(/link-local/)
    store.close()
  })

  it('needs all of its settings', () => {
    expect(() => readConfig({ BLOB_STORE: 's3', S3_URL: 'http://127.0.0.1:1' })).toThrow(
      /S3_BUCKET: is required[\s\S]*S3_ACCESS_KEY_ID: is required[\s\S]*S3_SECRET_ACCESS_KEY: is required/,
    )
  })
})
