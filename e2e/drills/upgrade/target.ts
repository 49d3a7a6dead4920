// The target of the checks of the upgrade drill, and the receiver of their alerts.
import { createServer, type IncomingMessage } from 'node:http'
import { listen } from '../../target/listen.ts'
import { NameServer } from '../../target/name-server.ts'

/** Sent by the API check from a secret variable; without it the target refuses. */
export const secretToken = 'the-secret-of-the-upgrade-drill'

export interface Target {
  url: string
  port: number
  dnsPort: number
  /** Webhook calls received so far. */
  webhooks(): number
  close(): Promise<void>
}

export async function openTarget(): Promise<Target> {
  let webhooks = 0
  const site = await listen(() =>
    createServer((request, response) => {
      request.resume()
      if (request.url === '/webhook') webhooks += 1
      const [status, body] = respond(request)
      response.writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html' })
      response.end(body)
    }),
  )
  const names = await NameServer.open({ names: { 'shop.test': { A: ['192.0.2.7'] } } })
  return {
    url: `http://127.0.0.1:${site.port}`,
    port: site.port,
    dnsPort: names.port,
    webhooks: () => webhooks,
    async close() {
      await names.close()
      await site.close()
    },
  }
}

function respond({ url, headers }: IncomingMessage): [number, string] {
  if (url === '/broken') return [500, '<h1>Broken</h1>']
  if (url !== '/orders') return [200, '<title>Shop</title><h1>Shop</h1>']
  return headers.authorization === `Bearer ${secretToken}` ? [200, '{"items":[1,2]}'] : [403, '{"items":[]}']
}
