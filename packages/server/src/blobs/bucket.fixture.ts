// A server for the part of the S3 protocol that the blob store uses, with configurable failures.
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type BucketKey, bucketKey, problemOf } from './bucket-signature.fixture.ts'

export interface TestBucket {
  url: string
  objects: Map<string, Buffer>
  /** The response to each request: "PUT 200". */
  seen: string[]
  /** The next requests get these statuses; 0 closes the connection. */
  fail(...statuses: number[]): void
  /** Handles the next requests; `respond` is the regular handler. */
  next(...handlers: Handler[]): void
  close(): Promise<void>
}

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  respond: () => Promise<void>,
) => Promise<void> | void

export async function startBucket(
  name: string,
  key: BucketKey = bucketKey,
  tls: { key?: string; cert?: string } = {},
): Promise<TestBucket> {
  const objects = new Map<string, Buffer>()
  const seen: string[] = []
  const handlers: Handler[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const verify = async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const problem = problemOf(request, body, key)
      if (problem === null) respond(request, response, body)
      else response.writeHead(problem.status).end(`<Error><Code>${problem.code}</Code></Error>`)
    }
    const handler = handlers.shift()
    if (handler) await handler(request, response, verify)
    else await verify()
    if (!request.socket.destroyed) seen.push(`${request.method} ${response.statusCode}`)
  }
  const server = tls.key ? createSecure(tls, serve) : createPlain(serve)

  function respond(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
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
    fail: (...statuses) => handlers.push(...statuses.map(failWith)),
    next: (...given) => handlers.push(...given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function failWith(status: number): Handler {
  return (request, response) => {
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end('<Error><Code>SlowDown</Code></Error>')
  }
}
