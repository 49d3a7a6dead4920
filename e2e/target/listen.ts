import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

export interface Listener {
  port: number
  /** Again, on the same port. */
  open(): Promise<void>
  /** Open connections are destroyed. */
  close(): Promise<void>
}

/** On the loopback interface; port 0 is any free port, which no outgoing connection takes while it is closed. */
export async function listen(make: () => Server, wanted = 0, address = '127.0.0.1'): Promise<Listener> {
  const sockets = new Set<Socket>()
  let server: Server | null = null
  const open = async (port: number) => {
    server = make()
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    })
    const listening = new Promise((resolve, reject) =>
      server?.once('listening', resolve).once('error', reject),
    )
    server.listen(port, address)
    await listening
    return (server.address() as AddressInfo).port
  }
  const port = await open(wanted === 0 ? await freePort() : wanted)
  return {
    port,
    async open() {
      await open(port)
    },
    async close() {
      const last = server
      server = null
      if (last === null) return
      const closed = new Promise((resolve) => last.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export async function wait(delayMs = 0): Promise<void> {
  if (delayMs > 0) await sleep(delayMs)
}
