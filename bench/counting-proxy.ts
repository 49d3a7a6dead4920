// A TCP proxy on the loopback interface that counts the bytes of both directions, without those of TCP and IP headers.
import { connect, createServer, type Socket } from 'node:net'

export interface CountingProxy {
  port: number
  /** Since the start. */
  bytes(): number
  close(): Promise<void>
}

export async function startCountingProxy(targetPort: number): Promise<CountingProxy> {
  let bytes = 0
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => {
      bytes += chunk.length
    })
    from.on('error', () => to.destroy())
    from.once('close', () => {
      sockets.delete(from)
      to.destroySoon()
    })
    from.pipe(to)
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    forward(client, target)
    forward(target, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  return {
    port: (server.address() as { port: number }).port,
    bytes: () => bytes,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
