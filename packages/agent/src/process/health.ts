// The agent's health over HTTP, for orchestrators and people: readiness, liveness and everything there is to know.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Health {
  isReady(): boolean
  report(): Record<string, unknown>
}

export interface HealthServer {
  port: number
  close(): Promise<void>
}

/** Rejects when the port can't be had. */
export function serveHealth(port: number, health: Health): Promise<HealthServer> {
  const answers: Record<string, () => [number, unknown]> = {
    '/-/readiness': () => (health.isReady() ? [200, { status: 'ready' }] : [503, { status: 'draining' }]),
    '/-/liveness': () => [200, { status: 'alive' }],
    '/health': () => [200, health.report()],
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const answer = isRead && Object.hasOwn(answers, path) ? answers[path] : undefined
    const [status, body] = answer?.() ?? [404, { status: 'not found' }]
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    response.end(request.method === 'HEAD' ? undefined : `${JSON.stringify(body)}\n`)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => new Promise((closed) => server.close(() => closed())),
      })
    })
  })
}
