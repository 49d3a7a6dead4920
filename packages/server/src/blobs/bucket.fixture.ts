// A server that speaks as much of the S3 protocol as a blob store uses, and believes no signature that it has not computed
// itself, from the request as it came over the wire.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestBucket {
  url: string
  objects: Map<string, Buffer>
  /** What each request was answered with: "PUT 200". */
  seen: string[]
  /** The next ones are answered with this status, or cut off (0). */
  fail(...statuses: number[]): void
  close(): Promise<void>
}

export const bucketKey = { accessKeyId: 'a-key', secretAccessKey: 'a secret/with+signs', region: 'eu-test-1' }

export async function startBucket(name: string): Promise<TestBucket> {
  const objects = new Map<string, Buffer>()
  const seen: string[] = []
  const failures: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const failure = failures.shift()
    if (failure === 0) return void request.socket.destroy()
    const problem = failure === undefined ? problemOf(request, body) : { status: failure, code: 'SlowDown' }
    if (problem === null) answer(request, response, body)
    else response.writeHead(problem.status).end(`<Error><Code>${problem.code}</Code></Error>`)
    seen.push(`${request.method} ${response.statusCode}`)
  })

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const path = decodeURIComponent(request.url ?? '')
    if (!path.startsWith(`/${name}/`)) {
      return void response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>')
    }
    const key = path.slice(name.length + 2)
    const stored = objects.get(key)
    if (request.method === 'PUT') {
      objects.set(key, body)
      response.writeHead(200).end()
    } else if (request.method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
    } else if (stored === undefined) {
      response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    } else {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      if (first === undefined) response.writeHead(200).end(stored)
      else response.writeHead(206).end(stored.subarray(Number(first), Number(last) + 1))
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    seen,
    fail: (...statuses) => failures.push(...statuses),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Problem {
  status: number
  code: string
}

function problemOf(request: IncomingMessage, body: Buffer): Problem | null {
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': told } = request.headers
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  if (parts === null) return { status: 403, code: 'AccessDenied' }
  const [, keyId, day, region, signed = '', signature] = parts
  if (keyId !== bucketKey.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' }
  if (region !== bucketKey.region) return { status: 400, code: 'AuthorizationHeaderMalformed' }
  const at = Date.parse(String(date).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 900_000)) return { status: 403, code: 'RequestTimeTooSkewed' }
  if (createHash('sha256').update(body).digest('hex') !== told)
    return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256'])
    if (!signed.split(';').includes(name)) return { status: 403, code: 'AccessDenied' }
  const [path = '', query = ''] = (request.url ?? '').split('?')
  let canonical = `${request.method}\n${path}\n${query.split('&').sort().join('&')}\n`
  for (const name of signed.split(';')) canonical += `${name}:${String(request.headers[name]).trim()}\n`
  canonical += `\n${signed}\n${told}`
  const scope = `${day}/${region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = mac(
    mac(mac(mac(`AWS4${bucketKey.secretAccessKey}`, day ?? ''), region ?? ''), 's3'),
    'aws4_request',
  )
  const expected = mac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).toString('hex')
  return expected === signature ? null : { status: 403, code: 'SignatureDoesNotMatch' }
}
