import { createHash } from 'node:crypto'
import { hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BlobStore, openBlobStore } from '../blobs/blob-store.ts'
import { startBucket, type TestBucket } from '../blobs/bucket.fixture.ts'
import { bucketKey } from '../blobs/bucket-signature.fixture.ts'
import { keepBlob, openBlob } from '../blobs/keep-blob.ts'
import { recordArtifacts } from '../ingest/artifacts.ts'
import { resultIdOf } from '../ingest/result-id.ts'
import { deleteAccount } from '../storage/accounts/installation.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { markBlobLost } from '../storage/results/blobs.ts'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { uploadFile } from '../testing/artifacts.ts'
import { releaseBlobs } from './release-blobs.ts'

const start = Date.UTC(2026, 10, 15, 8)
const later = start + 2 * hourMs

let api: TestApi
let bucket: TestBucket
/** Another server on the same database and bucket. */
let other: BlobStore
beforeAll(async () => {
  bucket = await startBucket('artifacts')
  api = await startTestApi(
    {
      BLOB_STORE: 's3',
      S3_URL: bucket.url,
      S3_BUCKET: 'artifacts',
      S3_REGION: bucketKey.region,
      S3_ACCESS_KEY_ID: bucketKey.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucketKey.secretAccessKey,
    },
    { now: () => start },
  )
  other = openBlobStore(api.config)
})
afterAll(async () => {
  other.close()
  await api.close()
  await bucket.close()
})

const release = (now: number, blobs: BlobStore = api.blobs) =>
  releaseBlobs({ pool: api.store.pool, blobs, retentionMs: 30 * 24 * hourMs, now })
const upload = (content: string, at = start, blobs: BlobStore = api.blobs) =>
  uploadFile({ store: api.store, blobs }, api.alice.accountId, { content, name: content }, at)
const shaOf = (content: string) => createHash('sha256').update(content).digest('hex')
const isThere = (content: string) => [...bucket.objects.keys()].some((key) => key.endsWith(shaOf(content)))

async function record(content: string, accountId = api.alice.accountId): Promise<void> {
  const artifact = await uploadFile(api, accountId, { content, name: content }, start)
  const resultId = resultIdOf(start, crypto.randomUUID(), 1)
  await inTransaction(api.store.pool, async (client) => {
    await ensureDays(client, [start])
    const of = { accountId, checkId: crypto.randomUUID(), resultId, scheduledAt: start }
    await recordArtifacts(client, [{ ...of, artifacts: [artifact] }])
  })
}

async function rows(...contents: string[]) {
  const found = await api.store.pool.query<{ sha256: string; is_stored: boolean }>(
    'select sha256, is_stored from blobs where sha256 = any($1)',
    [contents.map(shaOf)],
  )
  return contents.map((content) => found.rows.find(({ sha256 }) => sha256 === shaOf(content))?.is_stored)
}

describe('deleting blobs', () => {
  it('skips blobs that the bucket refuses to delete, and retries them later', async () => {
    const contents = Array.from({ length: 40 }, (_, index) => `stubborn ${index}`)
    for (const content of contents) await upload(content)
    bucket.next((_request, response) => void response.writeHead(403).end('<Code>AccessDenied</Code>'))
    await expect(release(later)).rejects.toThrow('The bucket responded to DELETE with 403 AccessDenied')
    // Rows and objects agree.
    const left = contents.filter(isThere)
    expect(left.length).toBeGreaterThan(0)
    expect(await rows(...contents)).toEqual(
      contents.map((content) => (left.includes(content) ? false : undefined)),
    )
    await release(later)
    expect(contents.filter(isThere)).toHaveLength(1)
    expect(await release(later + hourMs + 1)).toBe(1)
    expect(await rows(...contents)).toEqual(contents.map(() => undefined))
  })

  it('keeps blobs that were marked as lost, while a result names them', async () => {
    await record('missed')
    await markBlobLost(api.store.pool, { accountId: api.alice.accountId, sha256: shaOf('missed') })
    expect(await release(later)).toBe(0)
    expect(isThere('missed')).toBe(true)
    const opened = await openBlob(depsOf(), api.alice.accountId, shaOf('missed'))
    expect(Buffer.concat((await opened?.toArray()) ?? []).toString()).toBe('missed')
  })

  it('includes all blobs of a deleted account', async () => {
    const { accountId } = await api.newAccount()
    await record('owned', accountId)
    expect(await release(later)).toBe(0)
    expect(isThere('owned')).toBe(true)
    expect(await deleteAccount(api.store.db, accountId)).toBe(true)
    expect(await release(later)).toBe(1)
    expect(isThere('owned')).toBe(false)
    expect(await openBlob(depsOf(), accountId, shaOf('owned'))).toBeNull()
  })
})

describe('two servers on one bucket', () => {
  it('store the same bytes once, and delete only unused ones', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => `both ${index}`)
    for (const content of contents) await upload(content)
    // Half of them are uploaded again while both servers delete.
    const again = contents.filter((_, index) => index % 2 === 0)
    await Promise.all([
      release(later),
      release(later, other),
      ...again.map((content) => upload(content, later, other)),
      ...again.map((content) => upload(content, later)),
    ])
    await release(later)
    expect(contents.filter(isThere)).toEqual(again)
    expect(await rows(...contents)).toEqual(contents.map((_, index) => (index % 2 === 0 ? true : undefined)))
  })

  it('have no row for bytes of a killed upload', async () => {
    bucket.fail(0, 0, 0)
    const bytes = (async function* () {
      yield Buffer.from('killed')
    })()
    const kept = keepBlob({ ...depsOf(), now: start }, api.alice.accountId, bytes, { maxBytes: 100 })
    await expect(kept).rejects.toThrow(/does not respond/)
    expect(await rows('killed')).toEqual([false])
    await record('killed')
    expect([await rows('killed'), isThere('killed')]).toEqual([[true], true])
  })
})

function depsOf() {
  return { pool: api.store.pool, blobs: api.blobs }
}
