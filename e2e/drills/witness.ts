// Who saw what: the target counts the requests of every check, and a go-between hears which results agents were told
// are recorded. What the servers say afterwards is held against both.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingTarget {
  url: string
  hits: Map<string, number>
  close(): Promise<void>
}

export async function startTarget(): Promise<CountingTarget> {
  const hits = new Map<string, number>()
  const server = createServer((asked, answer) => {
    const path = asked.url ?? ''
    hits.set(path, (hits.get(path) ?? 0) + 1)
    answer.end('ok')
  })
  return { url: await listening(server), hits, close: () => closed(server) }
}

export interface Acknowledged {
  checkId: string
  runId: string
  attempt: number
}

export interface GoBetween {
  url: string
  /** Results that a server said it has recorded. */
  acknowledged: Map<string, Acknowledged>
  close(): Promise<void>
}

/** Passes everything on to the server of the moment; where there is none, it says so as a proxy does. */
export async function startGoBetween(serverUrl: () => string): Promise<GoBetween> {
  const acknowledged = new Map<string, Acknowledged>()
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = []
    asked.on('data', (chunk: Buffer) => chunks.push(chunk))
    asked.once('end', () => {
      const body = Buffer.concat(chunks)
      const { host: _host, connection: _connection, ...headers } = asked.headers
      const passed = request(serverUrl() + asked.url, { method: asked.method, headers }, (given) => {
        const parts: Buffer[] = []
        given.on('data', (chunk: Buffer) => parts.push(chunk))
        given.once('error', () => answer.destroy())
        given.once('end', () => {
          const text = Buffer.concat(parts)
          if (given.statusCode === 200 && asked.url === '/agent/v1/results') note(body, text)
          answer.writeHead(given.statusCode ?? 502, given.headers).end(text)
        })
      })
      passed.once('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
      answer.once('close', () => answer.writableFinished || passed.destroy())
      passed.end(body)
    })
  })

  function note(body: Buffer, text: Buffer): void {
    const { results } = JSON.parse(body.toString()) as { results: { token: string }[] }
    const { answers } = JSON.parse(text.toString()) as { answers: { accepted: boolean }[] }
    for (const [index, { token }] of results.entries()) {
      const lease = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Acknowledged
      const { checkId, runId, attempt } = lease
      if (answers[index]?.accepted) acknowledged.set(`${runId} ${attempt}`, { checkId, runId, attempt })
    }
  }

  return { url: await listening(server), acknowledged, close: () => closed(server) }
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
