// The probed target: a kilobyte of JSON over HTTP and HTTPS, a new connection for each request.
import { createServer as createPlain, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { localhost } from './certificates.ts'

const body = JSON.stringify({ status: 'ok', text: 'x'.repeat(1000) })
const respond: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', body.length)
  response.end(body)
}

const listening = (server: ReturnType<typeof createPlain>, port: string | undefined) =>
  new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', 4096, resolve))

await listening(createPlain(respond), process.env.PLAIN_PORT)
await listening(createSecure(localhost, respond), process.env.TLS_PORT)
process.on('SIGTERM', () => process.exit(0))
process.stdout.write('ready\n')
