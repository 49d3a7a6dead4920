import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { abortOnClose, disconnectSignal } from './disconnect-signal.ts'

let app: FastifyInstance
let url: string
let waiting: AbortSignal
let isWaiting: PromiseWithResolvers<void>

beforeEach(async () => {
  isWaiting = Promise.withResolvers()
  app = fastify()
  abortOnClose(app)
  app.get('/wait', async (_request, reply) => {
    waiting = disconnectSignal(app, reply)
    isWaiting.resolve()
    await once(waiting, 'abort')
    return 'no longer'
  })
  app.get('/now', async (_request, reply) => {
    waiting = disconnectSignal(app, reply)
    return 'now'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterEach(() => app.close())

describe('a wait', () => {
  it('stops when the client disconnects', async () => {
    const caller = new AbortController()
    const call = fetch(`${url}/wait`, { signal: caller.signal })
    await isWaiting.promise
    caller.abort()
    await expect(call).rejects.toThrow()
    if (!waiting.aborted) await once(waiting, 'abort')
    expect(waiting.aborted).toBe(true)
  })

  it('stops when the server closes, and gets a response', async () => {
    const call = fetch(`${url}/wait`)
    await isWaiting.promise
    const closed = app.close()
    expect(await (await call).text()).toBe('no longer')
    await closed
  })

  it("isn't aborted after its response was sent", async () => {
    expect(await (await fetch(`${url}/now`)).text()).toBe('now')
    expect(waiting.aborted).toBe(false)
  })
})
