import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that the system gives to outgoing connections (32768 and above), so that none takes it before it is used. */
const range = [20_000, 32_000] as const

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
