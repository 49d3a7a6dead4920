// ICMP sockets, which Node has not: made by the C library, read without blocking when they have something. Linux only.
// Reading them ourselves gives what Node's datagrams lack: the reply's TTL and the ICMP errors of routers.
import { createSocket } from 'node:dgram'
import { getSystemErrorName } from 'node:util'
import type { LibraryHandle } from 'koffi'
import { type EchoFamily, echoTypes, withoutIpHeader } from './icmp-packet.ts'

export type PingSocketType = 'ping-socket' | 'raw-socket'

export interface Arrival {
  /** An ICMP message; of an error, the one of ours that it is about. */
  message: Buffer
  ttl: number | null
  /** What a router or the network said instead of a reply. */
  error: { code: string; icmpType: number | null; icmpCode: number | null } | null
}

export interface PingSocket {
  /** The system's name of what went wrong, or null. */
  send(message: Buffer): string | null
  close(): void
}

/** Throws with the system's code (EACCES, EPERM, ENETUNREACH, …); whether a socket can be made at all: `address` null. */
export async function openPingSocket(
  type: PingSocketType,
  family: EchoFamily,
  address: string | null,
  onArrival: (arrival: Arrival) => void,
): Promise<PingSocket> {
  const c = await loadLibrary()
  const ids = families[family]
  const kind = type === 'raw-socket' ? sockRaw : sockDgram
  const fd = c.must(c.socket(ids.domain, kind | nonBlocking | closeOnExec, ids.protocol), 'socket')
  let stopWatching = () => {}
  const close = () => {
    stopWatching()
    c.close(fd)
  }
  try {
    if (address !== null) {
      prepare(c, fd, type, family)
      const target = socketAddress(c, family, address)
      // Connected, the kernel keeps other hosts' messages from us.
      c.must(c.connect(fd, target, target.length), 'connect')
      const isHeaded = type === 'raw-socket' && family === 4
      stopWatching = watch(c, fd, () => drain(c, fd, family, isHeaded, onArrival))
    }
  } catch (error) {
    close()
    throw error
  }
  const send = (message: Buffer) => (c.send(fd, message, message.length, 0) < 0 ? c.error() : null)
  return { send, close }
}

const sockDgram = 2
const sockRaw = 3
const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const errorQueue = 0x2000

const families = {
  4: { domain: 2, protocol: 1, level: 0, receiveTtl: 12, ttl: 2, receiveErrors: 11 },
  6: { domain: 10, protocol: 58, level: 41, receiveTtl: 51, ttl: 52, receiveErrors: 25 },
} as const

type CLibrary = Awaited<ReturnType<typeof bindLibrary>>
let library: Promise<CLibrary> | undefined

function loadLibrary(): Promise<CLibrary> {
  library ??= bindLibrary()
  return library
}

async function bindLibrary() {
  if (process.platform !== 'linux') throw new Error(`not made for ${process.platform}`)
  const { default: koffi } = await import('koffi')
  const libc: LibraryHandle = koffi.load(null)
  const vector = koffi.struct({ base: 'void *', length: 'size_t' })
  const header = koffi.struct({
    name: 'void *',
    nameLength: 'uint32',
    vector: koffi.pointer(vector),
    vectorLength: 'size_t',
    control: 'void *',
    controlLength: 'size_t',
    flags: 'int',
  })
  const error = () => getSystemErrorName(-koffi.errno())
  return {
    error,
    must(result: number, call: string): number {
      if (result >= 0) return result
      const code = error()
      throw Object.assign(new Error(`${call}: ${code}`), { code })
    },
    socket: libc.func('int socket(int, int, int)'),
    close: libc.func('int close(int)'),
    connect: libc.func('int connect(int, void *, uint32_t)'),
    send: libc.func('long send(int, void *, size_t, int)'),
    setOption: libc.func('int setsockopt(int, int, int, void *, uint32_t)'),
    parseAddress: libc.func('int inet_pton(int, const char *, void *)'),
    epollCreate: libc.func('int epoll_create1(int)'),
    epollControl: libc.func('int epoll_ctl(int, int, int, void *)'),
    replace: libc.func('int dup3(int, int, int)'),
    receive: libc.func('recvmsg', 'long', ['int', koffi.inout(koffi.pointer(header)), 'int']),
  }
}

function prepare(c: CLibrary, fd: number, type: PingSocketType, family: EchoFamily): void {
  const { level, receiveTtl, receiveErrors, protocol } = families[family]
  const on = Buffer.from(Int32Array.of(1).buffer)
  c.must(c.setOption(fd, level, receiveTtl, on, on.length), 'setsockopt')
  c.must(c.setOption(fd, level, receiveErrors, on, on.length), 'setsockopt')
  if (type !== 'raw-socket') return
  // A raw socket would get every ICMP message of the host; a set bit keeps that type out.
  const filter = Buffer.alloc(family === 4 ? 4 : 32, 0xff)
  const { reply } = echoTypes[family]
  filter[reply >> 3] = 0xff & ~(1 << (reply & 7))
  c.must(c.setOption(fd, family === 4 ? 255 : protocol, 1, filter, filter.length), 'setsockopt')
}

function socketAddress(c: CLibrary, family: EchoFamily, address: string): Buffer {
  const bytes = Buffer.alloc(family === 4 ? 16 : 28)
  Buffer.from(Uint16Array.of(families[family].domain).buffer).copy(bytes)
  const found = c.parseAddress(families[family].domain, address, bytes.subarray(family === 4 ? 4 : 8))
  if (found !== 1) throw Object.assign(new Error(`${address} is not an address`), { code: 'EINVAL' })
  return bytes
}

/**
 * Node watches only descriptors it can read itself. So we give it one that it can not: an epoll set in the place of an
 * adopted UDP socket. Reading it fails with ENOTSOCK whenever our socket has something, and that is the call.
 */
function watch(c: CLibrary, fd: number, onReady: () => void): () => void {
  const set = c.must(c.epollCreate(closeOnExec), 'epoll_create1')
  const readable = Buffer.alloc(16)
  readable.writeUInt8(1)
  const carrier = createSocket('udp4')
  try {
    c.must(c.epollControl(set, 1, fd, readable), 'epoll_ctl')
    const adopted = c.must(c.socket(2, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
    carrier.on('error', onReady)
    carrier.bind({ fd: adopted })
    // In the same tick: libuv first polls the descriptor when the loop turns.
    c.must(c.replace(set, adopted, closeOnExec), 'dup3')
  } catch (error) {
    carrier.close()
    throw error
  } finally {
    c.close(set)
  }
  return () => carrier.close()
}

const messageBytes = Buffer.alloc(1024)
const controlBytes = Buffer.alloc(512)

function drain(
  c: CLibrary,
  fd: number,
  family: EchoFamily,
  isHeaded: boolean,
  onArrival: (arrival: Arrival) => void,
): void {
  // A bound, so that a flood can not hold the loop: what is left calls again.
  for (let turn = 0; turn < 64; turn++) {
    const arrival = receive(c, fd, 0, family)
    // A pending error is told once in place of data; the queue below has its details.
    if (arrival)
      onArrival({ ...arrival, message: isHeaded ? withoutIpHeader(arrival.message) : arrival.message })
    const report = receive(c, fd, errorQueue, family)
    if (report) onArrival(report)
    if (!arrival && !report) return
  }
}

function receive(c: CLibrary, fd: number, flags: number, family: EchoFamily): Arrival | null {
  const header = {
    name: null,
    nameLength: 0,
    vector: { base: messageBytes, length: messageBytes.length },
    vectorLength: 1,
    control: controlBytes,
    controlLength: controlBytes.length,
    flags: 0,
  }
  const length = c.receive(fd, header, flags)
  if (length < 0) return null
  const control = controlBytes.subarray(0, Number(header.controlLength))
  return { message: Buffer.from(messageBytes.subarray(0, length)), ...readControl(control, family) }
}

/** Control messages: length (8 bytes), level, type, then the data, each at a multiple of 8. */
function readControl(control: Buffer, family: EchoFamily): Omit<Arrival, 'message'> {
  const { level, ttl: ttlType, receiveErrors } = families[family]
  let ttl: number | null = null
  let error: Arrival['error'] = null
  for (let at = 0; at + 16 <= control.length; ) {
    const length = Number(control.readBigUInt64LE(at))
    if (length < 16) break
    const data = control.subarray(at + 16, at + length)
    const isOurs = control.readInt32LE(at + 8) === level
    const type = control.readInt32LE(at + 12)
    if (isOurs && type === ttlType) ttl = data.readInt32LE(0)
    if (isOurs && type === receiveErrors) error = readError(data)
    at += Math.ceil(length / 8) * 8
  }
  return { ttl, error }
}

/** struct sock_extended_err; origins 2 and 3 are ICMP and ICMPv6, others are the own system's. */
function readError(data: Buffer): Arrival['error'] {
  const isIcmp = data[4] === 2 || data[4] === 3
  return {
    code: getSystemErrorName(-data.readUInt32LE(0)),
    icmpType: isIcmp ? (data[5] ?? null) : null,
    icmpCode: isIcmp ? (data[6] ?? null) : null,
  }
}
