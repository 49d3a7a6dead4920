// Verifies signatures, computed independently from the request on the wire.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface BucketKey {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  region: string
}

export const bucketKey: BucketKey = {
  accessKeyId: 'a-key',
  secretAccessKey: 'a secret/with+signs',
  region: 'eu-test-1',
}

interface Problem {
  status: number
  code: string
}

export function problemOf(request: IncomingMessage, body: Buffer, known: BucketKey): Problem | null {
  const {
    authorization = '',
    'x-amz-date': date = '',
    'x-amz-content-sha256': declaredHash,
  } = request.headers
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  if (parts === null) return { status: 403, code: 'AccessDenied' }
  const [, keyId, day, region, signed = '', signature] = parts
  if (keyId !== known.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' }
  if (region !== known.region) return { status: 400, code: 'AuthorizationHeaderMalformed' }
  const at = Date.parse(String(date).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 900_000)) return { status: 403, code: 'RequestTimeTooSkewed' }
  if (createHash('sha256').update(body).digest('hex') !== declaredHash)
    return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  const token = request.headers['x-amz-security-token']
  if (token !== known.sessionToken) return { status: 403, code: 'InvalidToken' }
  const needed = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  for (const name of needed)
    if (!signed.split(';').includes(name)) return { status: 403, code: 'AccessDenied' }
  const [path = '', query = ''] = (request.url ?? '').split('?')
  let canonical = `${request.method}\n${canonicalPath(path)}\n${query.split('&').sort().join('&')}\n`
  for (const name of signed.split(';')) canonical += `${name}:${String(request.headers[name]).trim()}\n`
  canonical += `\n${signed}\n${declaredHash}`
  const scope = `${day}/${region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = mac(
    mac(mac(mac(`AWS4${known.secretAccessKey}`, day ?? ''), region ?? ''), 's3'),
    'aws4_request',
  )
  const expected = mac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).toString('hex')
  return expected === signature ? null : { status: 403, code: 'SignatureDoesNotMatch' }
}

/** From the decoded path, so that the encoding of the client doesn't matter. */
function canonicalPath(path: string): string {
  let canonical = ''
  for (const byte of Buffer.from(decodeURIComponent(path))) {
    const char = String.fromCharCode(byte)
    canonical += /[A-Za-z0-9._~/-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return canonical
}
