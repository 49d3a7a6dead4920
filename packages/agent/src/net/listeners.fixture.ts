// Real listeners on loopback for tests, and what a runner is given there.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { networkPolicy } from '@vedette/safeguards/address-policy'

const open: { server: Server; closers: (() => void)[] }[] = []

/** Starts listening and returns the port. `closeListeners` closes the server and its connections. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const closers: (() => void)[] = []
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    closers.push(() => socket.destroy())
  })
  open.push({ server, closers })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

export async function closeListeners(): Promise<void> {
  for (const { server, closers } of open.splice(0)) {
    for (const close of closers) close()
    await new Promise((resolve) => server.close(resolve))
  }
}

export const clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** The least that a `RunContext` of checks/ holds. */
const leastContext = () => ({
  signal: new AbortController().signal,
  clock,
  network: networkPolicy({ mode: 'default' }),
  userAgent: 'Vedette/test',
})

export function runContext<Over extends object>(over?: Over): ReturnType<typeof leastContext> & Over {
  return { ...leastContext(), ...over } as ReturnType<typeof leastContext> & Over
}

/** A web server with a handler of the test. */
export const serve = async (handler: RequestListener) =>
  `http://127.0.0.1:${await listen(createServer(handler))}`

/** A signal that a test aborts, by a timeout or a cancellation. */
export function stoppable() {
  const controller = new AbortController()
  const timeout = () => controller.abort(new DOMException('timed out', 'TimeoutError'))
  return { signal: controller.signal, timeout, cancel: () => controller.abort() }
}
