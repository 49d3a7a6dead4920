// ICMP sockets, with what Node's datagrams lack: the TTL of replies and the ICMP errors of routers. Linux only.
import {
  type CLibrary,
  closeOnExec,
  errorQueue,
  families,
  loadLibrary,
  nonBlocking,
  readError,
  receive,
  type SocketError,
  setNumber,
  sockDgram,
  socketAddress,
  sockRaw,
  watch,
} from './c-socket.ts'
import { type EchoFamily, echoTypes, withoutIpHeader } from './icmp-packet.ts'

export type PingSocketType = 'ping-socket' | 'raw-socket'

export interface Arrival {
  /** An ICMP message; for an error, the message of ours that it quotes. */
  message: Buffer
  ttl: number | null
  /** The error that a router or the system reports instead of a reply. */
  error: SocketError | null
}

export interface PingSocket {
  /** Returns the system's error code; null: sent. */
  send(message: Buffer): string | null
  close(): void
}

/**
 * Throws an error with the system's code (EACCES, EPERM, ENETUNREACH, …). `address` null: only tests whether a socket can be
 * opened. `ttl` null: the system's default.
 */
export async function openPingSocket(
  type: PingSocketType,
  family: EchoFamily,
  address: string | null,
  onArrival: (arrival: Arrival) => void,
  ttl: number | null = null,
): Promise<PingSocket> {
  const c = await loadLibrary()
  const ids = families[family]
  const kind = type === 'raw-socket' ? sockRaw : sockDgram
  const fd = c.must(c.socket(ids.domain, kind | nonBlocking | closeOnExec, protocols[family]), 'socket')
  let stopWatching = () => {}
  const close = () => {
    stopWatching()
    c.close(fd)
  }
  try {
    if (address !== null) {
      prepare(c, fd, type, family)
      if (ttl !== null) setNumber(c, fd, ids.level, ids.setTtl, ttl)
      const target = socketAddress(c, family, address)
      // On a connected socket, the kernel drops messages of other hosts.
      c.must(c.connect(fd, target, target.length), 'connect')
      const hasIpHeader = type === 'raw-socket' && family === 4
      stopWatching = watch(c, fd, () => drain(c, fd, family, hasIpHeader, onArrival))
    }
  } catch (error) {
    close()
    throw error
  }
  const send = (message: Buffer) => (c.send(fd, message, message.length, 0) < 0 ? c.error() : null)
  return { send, close }
}

const protocols = { 4: 1, 6: 58 } as const

function prepare(c: CLibrary, fd: number, type: PingSocketType, family: EchoFamily): void {
  const { level, receiveTtl, receiveErrors } = families[family]
  setNumber(c, fd, level, receiveTtl, 1)
  setNumber(c, fd, level, receiveErrors, 1)
  if (type !== 'raw-socket') return
  // Without a filter, a raw socket receives all ICMP messages of the host. A set bit excludes a type.
  const filter = Buffer.alloc(family === 4 ? 4 : 32, 0xff)
  const { reply } = echoTypes[family]
  filter[reply >> 3] = 0xff & ~(1 << (reply & 7))
  c.must(c.setOption(fd, family === 4 ? 255 : protocols[6], 1, filter, filter.length), 'setsockopt')
}

function drain(
  c: CLibrary,
  fd: number,
  family: EchoFamily,
  hasIpHeader: boolean,
  onArrival: (arrival: Arrival) => void,
): void {
  // Bounded, so that a flood cannot block the event loop. The rest triggers another call.
  for (let turn = 0; turn < 64; turn++) {
    const arrival = receiveArrival(c, fd, 0, family)
    // A pending error is returned once instead of data; the error queue has its details.
    if (arrival)
      onArrival({ ...arrival, message: hasIpHeader ? withoutIpHeader(arrival.message) : arrival.message })
    const report = receiveArrival(c, fd, errorQueue, family)
    if (report) onArrival(report)
    if (!arrival && !report) return
  }
}

function receiveArrival(c: CLibrary, fd: number, flags: number, family: EchoFamily): Arrival | null {
  const received = receive(c, fd, flags)
  if (!received) return null
  const { level, ttl: ttlType, receiveErrors } = families[family]
  const controlData = (type: number) =>
    received.control.find((entry) => entry.level === level && entry.type === type)?.data
  const error = controlData(receiveErrors)
  return {
    message: received.message,
    ttl: controlData(ttlType)?.readInt32LE(0) ?? null,
    error: error ? readError(error) : null,
  }
}
