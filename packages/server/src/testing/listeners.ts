// Real servers on loopback, as channels meet them.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'

const open: { server: Server; sockets: Set<Socket> }[] = []

/** `sockets` has every connection ever made; `closeListeners` ends them all. */
export async function listen(server: Server): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  open.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, sockets }
}

export async function closeListeners(): Promise<void> {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** A web server. */
export async function listenHttp(listener: RequestListener): Promise<{ url: string; sockets: Set<Socket> }> {
  const { port, sockets } = await listen(createServer(listener))
  return { url: `http://127.0.0.1:${port}`, sockets }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
