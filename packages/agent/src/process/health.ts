// The agent's HTTP endpoints for readiness, liveness, health and metrics.
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface Health {
  isReady(): boolean
  report(): Record<string, unknown>
  /** In the Prometheus text format. */
  metrics(): string
}

/** Returns the port; rejects if it isn't available. */
export async function serveHealth(port: number, health: Health): Promise<number> {
  const routes: Record<string, () => [number, unknown]> = {
    '/-/readiness': () => (health.isReady() ? [200, { status: 'ready' }] : [503, { status: 'draining' }]),
    '/-/liveness': () => [200, { status: 'alive' }],
    '/health': () => [200, health.report()],
    '/metrics': () => [200, health.metrics()],
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const route = isRead && Object.hasOwn(routes, path) ? routes[path] : undefined
    const [status, body] = route?.() ?? [404, { status: 'not found' }]
    const isText = typeof body === 'string'
    const type = isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json'
    response.writeHead(status, { 'content-type': type, connection: 'close' })
    response.end(request.method === 'HEAD' ? undefined : isText ? body : `${JSON.stringify(body)}\n`)
  })
  server.listen(port)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
