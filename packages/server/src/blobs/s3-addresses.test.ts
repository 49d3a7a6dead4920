import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testCertificate, testPrivateKey } from '../testing/certificates.ts'
import { type Handler, startBucket, type TestBucket } from './bucket.fixture.ts'
import { type BucketOptions, objectUrl } from './bucket.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { bucketKey } from './bucket-signature.fixture.ts'
import { openS3 } from './s3.ts'

const account = randomUUID()
const sha256 = createHash('sha256').update('bytes').digest('hex')
const blob = { sha256, sizeBytes: 5 }
const name = `${account}/${sha256.slice(0, 2)}/${sha256}`

let folder: string
const closers: (() => Promise<void> | void)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-s3-'))
  writeFileSync(join(folder, 'received'), 'bytes')
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true })
})

async function start(...given: Parameters<typeof startBucket>): Promise<TestBucket> {
  const bucket = await startBucket(...given)
  closers.push(() => bucket.close())
  return bucket
}

function open(bucket: TestBucket, over: Partial<BucketSettings> = {}, options: BucketOptions = {}) {
  const plain = { url: bucket.url, bucket: 'artifacts', addressing: 'path', prefix: '' } as const
  const settings = { ...plain, ...bucketKey, sessionToken: null, ...over }
  const s3 = openS3(settings, { pausesMs: [], ...options })
  closers.push(s3.close)
  return s3
}

const received = () => ({ ...blob, path: join(folder, 'received'), discard: async () => undefined })

/** Sends every kind of request, whose signatures the bucket verifies. */
async function goesRound(s3: ReturnType<typeof open>): Promise<string> {
  await s3.put(account, received())
  const stream = await s3.open(account, blob, { start: 1, end: 3 })
  const part = Buffer.concat((await stream?.toArray()) ?? []).toString()
  await s3.delete(account, sha256)
  return part
}

describe('the signature of a request', () => {
  it.each([
    "it's (really) *all*!/",
    'a b/',
    'Zürich/東京/',
    'a+b=c&d@e:f,g;h/',
    '100%/',
    '%2F?x#y/',
    '~._-/',
  ])('fits keys below %j', async (prefix) => {
    const bucket = await start('artifacts')
    const s3 = open(bucket, { prefix })
    await s3.put(account, received())
    expect([...bucket.objects.keys()]).toEqual([prefix + name])
    expect(await goesRound(s3)).toBe('yte')
    expect(bucket.objects.size).toBe(0)
  })

  it('includes the token of temporary credentials', async () => {
    const bucket = await start('artifacts', { ...bucketKey, sessionToken: 'a/token+==' })
    expect(await goesRound(open(bucket, { sessionToken: 'a/token+==' }))).toBe('yte')
    await expect(goesRound(open(bucket))).rejects.toThrow('403 InvalidToken')
  })

  it('fits a bucket in the host name, with its port', async () => {
    const bucket = await start('artifacts')
    const url = bucket.url.replace('127.0.0.1', 's3.test')
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    expect(await goesRound(open(bucket, { url, addressing: 'host', prefix: 'x/' }, { resolve }))).toBe('yte')
    expect(new Set(asked)).toEqual(new Set(['artifacts.s3.test']))
  })

  it.each([
    ['path', 'https://s3.test:9000/gate', 'https://s3.test:9000/gate/artifacts/x/1'],
    ['host', 'https://s3.test:9000/gate', 'https://artifacts.s3.test:9000/gate/x/1'],
    ['path', 'http://[::1]:9000', 'http://[::1]:9000/artifacts/x/1'],
  ] as const)('is for the address that is asked: %s, %s', (addressing, url, expected) => {
    expect(objectUrl({ url, bucket: 'artifacts', addressing, prefix: 'x/' }, '1').href).toBe(expected)
  })
})

describe('a redirect', () => {
  const redirect =
    (location: string): Handler =>
    (request, response) => {
      request.resume()
      response.writeHead(307, { location }).end('<Error><Code>TemporaryRedirect</Code></Error>')
    }

  it('is followed if it is temporary, with a new signature', async () => {
    const [first, second] = [await start('artifacts'), await start('artifacts')]
    first.next(redirect(`${second.url}/artifacts/${name}`))
    await open(first).put(account, received())
    expect([...first.objects.keys(), ...second.objects.keys()]).toEqual([name])
  })

  it('is not followed in a loop, nor to an unencrypted address', async () => {
    const bucket = await start('artifacts')
    const again = redirect(`/artifacts/${name}`)
    bucket.next(again, again, again)
    const refusal = 'The bucket responded to PUT with 307 TemporaryRedirect'
    await expect(open(bucket).put(account, received())).rejects.toThrow(refusal)
    bucket.next(redirect(`ftp://127.0.0.1/artifacts/${name}`))
    await expect(open(bucket).put(account, received())).rejects.toThrow(refusal)
    bucket.next(redirect('http://169.254.169.254/latest/meta-data'))
    await expect(open(bucket).put(account, received())).rejects.toThrow(/link-local/)
  })

  it('that is permanent is reported with its target', async () => {
    const bucket = await start('artifacts')
    const body = '<Error><Code>PermanentRedirect</Code><Endpoint>s3.eu-far-2.test</Endpoint></Error>'
    bucket.next(
      (_, response) => void response.writeHead(301, { 'x-amz-bucket-region': 'eu-far-2' }).end(body),
    )
    await expect(open(bucket).probe()).rejects.toThrow(
      'The bucket responded to GET with 301 PermanentRedirect: check S3_URL; its region is eu-far-2 (S3_REGION); its endpoint is s3.eu-far-2.test',
    )
  })
})

describe('a wrong setting', () => {
  it('is found by a probe, and named', async () => {
    const bucket = await start('artifacts')
    await open(bucket).probe()
    const wrong = (over: Partial<BucketSettings>) => expect(open(bucket, over).probe()).rejects
    await wrong({ bucket: 'others' }).toThrow(
      '404 NoSuchBucket: the service has no bucket with the name in S3_BUCKET',
    )
    await wrong({ accessKeyId: 'x' }).toThrow('403 InvalidAccessKeyId: check S3_ACCESS_KEY_ID')
    await wrong({ secretAccessKey: 'x' }).toThrow('403 SignatureDoesNotMatch: check S3_SECRET_ACCESS_KEY')
    await wrong({ region: 'x' }).toThrow('400 AuthorizationHeaderMalformed')
    await wrong({ url: 'http://127.0.0.1:1' }).toThrow(/does not respond at 127\.0\.0\.1:1: .*ECONNREFUSED/)
  })

  it('does not make files count as lost or deleted', async () => {
    const bucket = await start('artifacts')
    const s3 = open(bucket, { bucket: 'others' })
    await expect(s3.open(account, blob)).rejects.toThrow('NoSuchBucket')
    await expect(s3.delete(account, sha256)).rejects.toThrow('NoSuchBucket')
    bucket.next((_, response) => void response.writeHead(404).end('<html>No such page</html>'))
    await expect(open(bucket).open(account, blob)).rejects.toThrow('The bucket responded to GET with 404')
  })

  it('is also an untrusted certificate', async () => {
    const bucket = await start('artifacts', bucketKey, { key: testPrivateKey, cert: testCertificate })
    await expect(open(bucket).probe()).rejects.toThrow(/does not respond at .*(certificate|self-signed)/i)
  })
})
