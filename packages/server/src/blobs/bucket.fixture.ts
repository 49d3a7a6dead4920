// A server that speaks as much of the S3 protocol as a blob store uses, and breaks as it is told to.
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type BucketKey, bucketKey, problemOf } from './bucket-signature.fixture.ts'

export interface TestBucket {
  url: string
  objects: Map<string, Buffer>
  /** What each request was answered with: "PUT 200". */
  seen: string[]
  /** The next ones are answered with this status, or cut off (0). */
  fail(...statuses: number[]): void
  /** The next ones are answered so; `answer` is what would have been done. */
  next(...ways: Way[]): void
  close(): Promise<void>
}

export type Way = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => Promise<void>,
) => Promise<void> | void

export async function startBucket(
  name: string,
  key: BucketKey = bucketKey,
  tls: { key?: string; cert?: string } = {},
): Promise<TestBucket> {
  const objects = new Map<string, Buffer>()
  const seen: string[] = []
  const ways: Way[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const judge = async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const problem = problemOf(request, body, key)
      if (problem === null) answer(request, response, body)
      else response.writeHead(problem.status).end(`<Error><Code>${problem.code}</Code></Error>`)
    }
    const way = ways.shift()
    if (way) await way(request, response, judge)
    else await judge()
    if (!request.socket.destroyed) seen.push(`${request.method} ${response.statusCode}`)
  }
  const server = tls.key ? createSecure(tls, serve) : createPlain(serve)

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const inHost = request.headers.host?.startsWith(`${name}.`) ? `/${name}` : ''
    const path = inHost + decodeURIComponent(request.url ?? '')
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
      if (first === undefined)
        return void response.writeHead(200, { 'content-length': stored.length }).end(stored)
      if (Number(first) >= stored.length)
        return void response.writeHead(416).end('<Error><Code>InvalidRange</Code></Error>')
      const end = Math.min(Number(last), stored.length - 1)
      response.writeHead(206, { 'content-range': `bytes ${first}-${end}/${stored.length}` })
      response.end(stored.subarray(Number(first), end + 1))
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${tls.key ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    seen,
    fail: (...statuses) => ways.push(...statuses.map(failing)),
    next: (...given) => ways.push(...given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function failing(status: number): Way {
  return (request, response) => {
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end('<Error><Code>SlowDown</Code></Error>')
  }
}
