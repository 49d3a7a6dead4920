import { createServer } from 'node:net'

/** Below the ports that the system gives to outgoing connections (32768 and above), so that none takes it before it is used. */
const firstPort = 20_000
const portCount = 12_000

/** Each process has its own ports, and uses them in turn: one that is closed for a moment isn't given to another. */
let turn = process.pid * 61

export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (turn++ % portCount)
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
