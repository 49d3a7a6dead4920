// AWS Signature Version 4 in request headers. Pure.
import { createHash, createHmac } from 'node:crypto'

export interface SignedRequest {
  method: string
  /** Path and query, percent-encoded as they are sent. */
  url: URL
  /** The headers to sign besides the host, in lower case. */
  headers: Record<string, string>
  /** SHA-256 of the body, in hex. */
  payloadHash: string
}

export interface SigningKey {
  accessKeyId: string
  secretAccessKey: string
  /** For temporary credentials. */
  sessionToken?: string | null
  region: string
  service: string
}

/** Returns the headers with the signature. */
export function signV4(
  { method, url, headers, payloadHash }: SignedRequest,
  key: SigningKey,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${key.region}/${key.service}/aws4_request`
  const token: Record<string, string> = key.sessionToken ? { 'x-amz-security-token': key.sessionToken } : {}
  const all: Record<string, string> = { ...headers, ...token, host: url.host, 'x-amz-date': time }
  const names = Object.keys(all).sort()
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${all[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n')
  const signature = hmac(signingKey(key, time.slice(0, 8)), text).toString('hex')
  const { host: _, ...sent } = all
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** For requests without a body. */
export const emptyPayloadHash = sha256Hex('')

function signingKey({ secretAccessKey, region, service }: SigningKey, day: string): Buffer {
  return [day, region, service, 'aws4_request'].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encodeUnreserved(name)}=${encodeUnreserved(value)}`)
    .sort()
    .join('&')
}

/** Encodes everything except letters, digits and -._~. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
