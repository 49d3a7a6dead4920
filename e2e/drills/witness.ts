// Independent observers: the target counts the requests of every check, and a proxy records which results the servers
// acknowledged to agents. The data of the servers is compared with both.
import { Agent, createServer, type Server, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingTarget {
  url: string
  hits: Map<string, number>
  close(): Promise<void>
}

export async function startTarget(): Promise<CountingTarget> {
  const hits = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    hits.set(path, (hits.get(path) ?? 0) + 1)
    response.end('ok')
  })
  return { url: await listening(server), hits, close: () => closed(server) }
}

export interface Acknowledged {
  checkId: string
  runId: string
  attempt: number
}

export interface Proxy {
  url: string
  /** Results that a server acknowledged. */
  acknowledged: Map<string, Acknowledged>
  /** Reports of agents: when each began, in milliseconds, and how long its response took. */
  reports: { at: number; ms: number; status: number }[]
  /** Calls that a server, or the balancer before it, refused or left without a response, with their time. */
  failures: string[]
  close(): Promise<void>
}

/** Forwards everything to the current server; responds with 502 if there is none. */
export async function startProxy(serverUrl: () => string): Promise<Proxy> {
  const acknowledged = new Map<string, Acknowledged>()
  const reports: Proxy['reports'] = []
  const failures: string[] = []
  const fail = (failure: string) => failures.push(`${new Date().toISOString()} ${failure}`)
  // A balancer closes connections that are idle for a minute; longer than agents wait for a claim.
  const agent = new Agent({ keepAlive: true, timeout: 30_000 })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    const at = Date.now()
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const body = Buffer.concat(chunks)
      const { host: _host, connection: _connection, ...headers } = request.headers
      const forwarded = sendRequest(
        serverUrl() + request.url,
        { agent, method: request.method, headers },
        (upstream) => {
          const parts: Buffer[] = []
          upstream.on('data', (chunk: Buffer) => parts.push(chunk))
          upstream.once('error', () => response.destroy())
          upstream.once('end', () => {
            const text = Buffer.concat(parts)
            const status = upstream.statusCode ?? 502
            if (status >= 500) fail(`${request.method} ${request.url}: status ${status} ${text}`)
            if (request.url === '/agent/v1/results') {
              reports.push({ at, ms: Date.now() - at, status })
              if (status === 200) recordAcknowledged(body, text)
            }
            response.writeHead(status, upstream.headers).end(text)
          })
        },
      )
      forwarded.once('error', (error) => {
        if (!response.destroyed) fail(`${request.method} ${request.url}: ${error.message}`)
        if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
      })
      response.once('close', () => response.writableFinished || forwarded.destroy())
      forwarded.end(body)
    })
  })

  function recordAcknowledged(body: Buffer, text: Buffer): void {
    const { results } = JSON.parse(body.toString()) as { results: { token: string }[] }
    const { answers } = JSON.parse(text.toString()) as { answers: { accepted: boolean }[] }
    for (const [index, { token }] of results.entries()) {
      const lease = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Acknowledged
      const { checkId, runId, attempt } = lease
      if (answers[index]?.accepted) acknowledged.set(`${runId} ${attempt}`, { checkId, runId, attempt })
    }
  }

  return { url: await listening(server), acknowledged, reports, failures, close: () => closed(server) }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
