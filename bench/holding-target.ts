// An HTTPS server that holds its responses until a number of requests is waiting: it sends all but the last byte of 10 kB,
// then nothing until all requests are there, and half a second more for the measurement.
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { localhost } from './certificates.ts'

const company = Number(process.env.COMPANY)
const body = Buffer.alloc(10_000, 'x')
let waiting: ServerResponse[] = []

const server = createServer(localhost, (_request, response) => {
  response.setHeader('content-type', 'text/plain')
  response.setHeader('content-length', body.length)
  response.write(body.subarray(1))
  waiting.push(response)
  if (waiting.length < company) return
  const complete = waiting
  waiting = []
  setTimeout(() => {
    for (const one of complete) one.end(body.subarray(0, 1))
  }, 500)
})
server.listen(Number(process.env.PORT), '127.0.0.1', 4096, () => process.stdout.write('ready\n'))
process.on('SIGTERM', () => process.exit(0))
