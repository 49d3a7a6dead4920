// Closing a server waits for its connections. The work of a client that has hung up has none, but needs the store until it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** The store may be absent. */
const patienceMs = 10_000

/** What is passed to the returned function is waited for when the server closes. */
export function waitForWork(app: FastifyInstance): (work: Promise<unknown>) => void {
  const running = new Set<Promise<unknown>>()
  app.addHook('onClose', async () => {
    await Promise.race([Promise.allSettled(running), sleep(patienceMs, undefined, { ref: false })])
  })
  return (work) => {
    running.add(work)
    const remove = () => running.delete(work)
    work.then(remove, remove)
  }
}
