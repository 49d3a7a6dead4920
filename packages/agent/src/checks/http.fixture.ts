// Requests of checks for tests, and servers that respond with any bytes.
import { createServer as createTcpServer } from 'node:net'
import { listen } from '../net/listeners.fixture.ts'
import type { HttpSettings } from './http-run.ts'

export const settings = (over: Partial<HttpSettings> & { url: string }): HttpSettings => ({
  method: 'GET',
  body: '',
  bodyType: 'NONE',
  headers: [],
  queryParameters: [],
  basicAuth: null,
  followRedirects: true,
  skipSSL: false,
  ipFamily: 'IPv4',
  assertions: [],
  ...over,
})

/** A server that sends these bytes for any request. */
export const serveBytes = async (answer: string, andThen: 'end' | 'reset' | 'stay' = 'end') => {
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      if (answer === '') return socket.resetAndDestroy()
      socket.write(answer, () => {
        if (andThen === 'end') socket.end()
        if (andThen === 'reset') socket.destroy()
      })
    })
  })
  return `http://127.0.0.1:${await listen(server)}`
}
