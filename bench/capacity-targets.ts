// What the checks of the capacity bench probe: HTTP, HTTPS and gRPC behind proxies that count bytes, and a name server.
import { createSocket } from 'node:dgram'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Closers } from './closers.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { freePort, startProgram } from './server-process.ts'

export interface Targets {
  plainPort: number
  tlsPort: number
  grpcPort: number
  shopPort: number
  dnsPort: number
  /** Of all targets, both directions. */
  bytes(): number
}

export async function startTargets(closers: Closers): Promise<Targets> {
  const [plain, tls, shop] = [await freePort(), await freePort(), await freePort()]
  const probed = await startProgram('./probe-target.ts', { PLAIN_PORT: String(plain), TLS_PORT: String(tls) })
  closers.add(() => probed.stop())
  const shown = await startProgram('./shop-target.ts', { TARGET_PORT: String(shop) })
  closers.add(() => shown.stop())
  const proxies: CountingProxy[] = []
  for (const port of [plain, tls, await startGrpc(closers), shop]) {
    const proxy = await startCountingProxy(port)
    closers.add(() => proxy.close())
    proxies.push(proxy)
  }
  const names = await startNameServer(closers)
  const portOf = (index: number) => proxies[index]?.port ?? 0
  return {
    plainPort: portOf(0),
    tlsPort: portOf(1),
    grpcPort: portOf(2),
    shopPort: portOf(3),
    dnsPort: names.port,
    bytes: () => names.bytes() + proxies.reduce((sum, proxy) => sum + proxy.bytes(), 0),
  }
}

/** Without TLS: that of HTTPS is measured already. */
async function startGrpc(closers: Closers): Promise<number> {
  const server = new Server()
  new HealthImplementation({ '': 'SERVING' }).addToServer(server)
  closers.add(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
}

/** The name is the one of the question; type A, class IN, a minute, 127.0.0.1. */
const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
const headerBytes = 12

async function startNameServer(closers: Closers): Promise<{ port: number; bytes(): number }> {
  let bytes = 0
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    // Name, an empty label at its end, type and class.
    const question = query.subarray(headerBytes, query.indexOf(0, headerBytes) + 5)
    const header = Buffer.from(query.subarray(0, headerBytes))
    // A response to a recursive query, with one question and one answer.
    header.set([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0], 2)
    const response = Buffer.concat([header, question, answer])
    bytes += query.length + response.length
    socket.send(response, port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  closers.add(() => socket.close())
  return { port: socket.address().port, bytes: () => bytes }
}
