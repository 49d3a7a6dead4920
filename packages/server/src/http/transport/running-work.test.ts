import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { waitForWork } from './running-work.ts'

let app: FastifyInstance
let work: PromiseWithResolvers<void>
let isRunning: PromiseWithResolvers<void>

beforeEach(async () => {
  work = Promise.withResolvers()
  isRunning = Promise.withResolvers()
  app = fastify()
  const onWork = waitForWork(app)
  app.get('/', async () => {
    onWork(work.promise)
    isRunning.resolve()
    await work.promise
    return 'done'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

/** The client hangs up while its request is being processed. */
async function hangUp(): Promise<void> {
  const connections = once(app.server, 'connection')
  const caller = new AbortController()
  const call = fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`, {
    signal: caller.signal,
  })
  const [socket] = await connections
  await isRunning.promise
  const closed = once(socket, 'close')
  caller.abort()
  await expect(call).rejects.toThrow()
  await closed
}

it.each([
  ['ends', () => work.resolve()],
  ['fails', () => work.reject(new Error('failed'))],
])('closing waits until work without a client %s', async (_how, end) => {
  await hangUp()
  let isClosed = false
  const listening = once(app.server, 'close')
  const closed = app.close().then(() => {
    isClosed = true
  })
  await listening
  // Everything that is due without the work has run.
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  end()
  await closed
  expect(isClosed).toBe(true)
})
