// Sockets that Node doesn't offer, through the C library. Linux only. Callers check the agent's address policy first.
import { createSocket } from 'node:dgram'
import { getSystemErrorName } from 'node:util'
import type { LibraryHandle } from 'koffi'

export type CLibrary = Awaited<ReturnType<typeof bindLibrary>>
export type CFamily = 4 | 6

export const sockStream = 1
export const sockDgram = 2
export const sockRaw = 3
export const nonBlocking = 0o4000
export const closeOnExec = 0o2000000
export const errorQueue = 0x2000
/** MSG_TRUNC: returns the real length of a message, even if the buffer is too short for it. */
export const trueLength = 0x20
const readable = 1
export const writable = 4

export const families = {
  4: { domain: 2, level: 0, setTtl: 2, receiveTtl: 12, ttl: 2, receiveErrors: 11 },
  6: { domain: 10, level: 41, setTtl: 16, receiveTtl: 51, ttl: 52, receiveErrors: 25 },
} as const

let library: Promise<CLibrary> | undefined

export function loadLibrary(): Promise<CLibrary> {
  library ??= bindLibrary()
  return library
}

async function bindLibrary() {
  if (process.platform !== 'linux') throw new Error(`not supported on ${process.platform}`)
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
  const program = koffi.struct({ length: 'uint16', instructions: 'void *' })
  // Node has no name for 115.
  const error = () => (koffi.errno() === 115 ? 'EINPROGRESS' : getSystemErrorName(-koffi.errno()))
  return {
    error,
    must(result: number, call: string): number {
      if (result >= 0) return result
      const code = error()
      throw Object.assign(new Error(`${call}: ${code}`), { code })
    },
    socket: libc.func('int socket(int, int, int)'),
    close: libc.func('int close(int)'),
    bind: libc.func('int bind(int, void *, uint32_t)'),
    connect: libc.func('int connect(int, void *, uint32_t)'),
    send: libc.func('long send(int, void *, size_t, int)'),
    ownName: libc.func('int getsockname(int, void *, void *)'),
    setOption: libc.func('int setsockopt(int, int, int, void *, uint32_t)'),
    getOption: libc.func('int getsockopt(int, int, int, void *, void *)'),
    setFilter: libc.func('setsockopt', 'int', ['int', 'int', 'int', koffi.pointer(program), 'uint32']),
    parseAddress: libc.func('int inet_pton(int, const char *, void *)'),
    epollCreate: libc.func('int epoll_create1(int)'),
    epollControl: libc.func('int epoll_ctl(int, int, int, void *)'),
    replace: libc.func('int dup3(int, int, int)'),
    receive: libc.func('recvmsg', 'long', ['int', koffi.inout(koffi.pointer(header)), 'int']),
  }
}

export function setNumber(c: CLibrary, fd: number, level: number, option: number, value: number): void {
  const bytes = Buffer.from(Int32Array.of(value).buffer)
  c.must(c.setOption(fd, level, option, bytes, bytes.length), 'setsockopt')
}

export function socketAddress(c: CLibrary, family: CFamily, address: string, port = 0): Buffer {
  const bytes = Buffer.alloc(family === 4 ? 16 : 28)
  Buffer.from(Uint16Array.of(families[family].domain).buffer).copy(bytes)
  bytes.writeUInt16BE(port, 2)
  const parsed = c.parseAddress(families[family].domain, address, bytes.subarray(family === 4 ? 4 : 8))
  if (parsed !== 1) throw Object.assign(new Error(`${address} isn't an IP address`), { code: 'EINVAL' })
  return bytes
}

/**
 * Calls `onReady` when the socket is ready. Node only polls descriptors of its own handles, so an epoll set replaces the
 * descriptor of a UDP socket: when our socket is ready, Node's read of it fails with ENOTSOCK, which is the notification.
 */
export function watch(c: CLibrary, fd: number, onReady: () => void, events = readable): () => void {
  const set = c.must(c.epollCreate(closeOnExec), 'epoll_create1')
  const wanted = Buffer.alloc(16)
  wanted.writeUInt8(events)
  const carrier = createSocket('udp4')
  try {
    c.must(c.epollControl(set, 1, fd, wanted), 'epoll_ctl')
    const adopted = c.must(c.socket(2, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
    carrier.on('error', onReady)
    carrier.bind({ fd: adopted })
    // Must happen in the same tick: libuv starts to poll the descriptor in the next iteration of the event loop.
    c.must(c.replace(set, adopted, closeOnExec), 'dup3')
  } catch (error) {
    carrier.close()
    throw error
  } finally {
    c.close(set)
  }
  return () => carrier.close()
}

export interface Received {
  message: Buffer
  /** The sender's socket address, as bytes. */
  name: Buffer
  control: ControlMessage[]
  /** With `trueLength`: more than `message.length` if the message was truncated. */
  length: number
}

interface ControlMessage {
  level: number
  type: number
  data: Buffer
}

const messageBytes = Buffer.alloc(4096)
const nameBytes = Buffer.alloc(128)
const controlBytes = Buffer.alloc(512)

/** Null: nothing is queued. */
export function receive(c: CLibrary, fd: number, flags: number): Received | null {
  const header = {
    name: nameBytes,
    nameLength: nameBytes.length,
    vector: { base: messageBytes, length: messageBytes.length },
    vectorLength: 1,
    control: controlBytes,
    controlLength: controlBytes.length,
    flags: 0,
  }
  const length = Number(c.receive(fd, header, flags))
  if (length < 0) return null
  return {
    message: Buffer.from(messageBytes.subarray(0, Math.min(length, messageBytes.length))),
    name: Buffer.from(nameBytes.subarray(0, Math.min(header.nameLength, nameBytes.length))),
    control: readControl(controlBytes.subarray(0, Number(header.controlLength))),
    length,
  }
}

/** Entries are aligned to 8 bytes: length (8 bytes), level, type, then the data. */
function readControl(control: Buffer): ControlMessage[] {
  const messages: ControlMessage[] = []
  for (let at = 0; at + 16 <= control.length; ) {
    const length = Number(control.readBigUInt64LE(at))
    if (length < 16) break
    const data = Buffer.from(control.subarray(at + 16, at + length))
    messages.push({ level: control.readInt32LE(at + 8), type: control.readInt32LE(at + 12), data })
    at += Math.ceil(length / 8) * 8
  }
  return messages
}

export interface SocketError {
  code: string
  /** Null: the local system reports the error, not the network. */
  icmpType: number | null
  icmpCode: number | null
  /** The address that sent the ICMP message. */
  from: string | null
}

/** Reads the ICMP error of a probe from the socket's error queue; null: it has none. */
export function receiveError(c: CLibrary, fd: number, family: CFamily): SocketError | null {
  const { level, receiveErrors } = families[family]
  const entry = receive(c, fd, errorQueue)?.control.find(
    ({ level: entryLevel, type }) => entryLevel === level && type === receiveErrors,
  )
  return entry ? readError(entry.data) : null
}

/** struct sock_extended_err, then the address of the sender; origins 2 and 3 are ICMP and ICMPv6. */
export function readError(data: Buffer): SocketError {
  const isIcmp = data[4] === 2 || data[4] === 3
  return {
    code: getSystemErrorName(-data.readUInt32LE(0)),
    icmpType: isIcmp ? (data[5] ?? null) : null,
    icmpCode: isIcmp ? (data[6] ?? null) : null,
    from: isIcmp && data.length >= 32 ? addressIn(data.subarray(16)) : null,
  }
}

function addressIn(name: Buffer): string | null {
  const domain = name.readUInt16LE(0)
  if (domain === families[4].domain) return name.subarray(4, 8).join('.')
  if (domain !== families[6].domain || name.length < 24) return null
  const words = Array.from({ length: 8 }, (_, index) => name.readUInt16BE(8 + index * 2).toString(16))
  return new URL(`http://[${words.join(':')}]/`).hostname.slice(1, -1)
}
