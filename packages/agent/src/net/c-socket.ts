// Sockets that Node doesn't offer, through the C library. Linux only. Callers check the agent's address policy first.
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { getSystemErrorName } from 'node:util'
import { systemError } from './failure.ts'
import { ipv6Text } from './split-server.ts'

type CLibrary = Awaited<ReturnType<typeof bindLibrary>>
export type CFamily = 4 | 6

export const sockStream = 1
export const sockDgram = 2
export const sockRaw = 3
const nonBlocking = 0o4000
const closeOnExec = 0o2000000
export const solSocket = 1
const soError = 4
const soAttachFilter = 26
const errorQueue = 0x2000
/** MSG_TRUNC: returns the real length of a message, even if the buffer is too short for it. */
export const trueLength = 0x20
const readable = 1
export const writable = 4

export const families = {
  4: { domain: 2, level: 0, setTtl: 2, receiveTtl: 12, ttl: 2, receiveErrors: 11 },
  6: { domain: 10, level: 41, setTtl: 16, receiveTtl: 51, ttl: 52, receiveErrors: 25 },
} as const

export const familyOf = (address: string): CFamily => (isIPv6(address) ? 6 : 4)

let library: Promise<CLibrary> | undefined

async function bindLibrary() {
  if (process.platform !== 'linux') throw new Error(`not supported on ${process.platform}`)
  const { default: koffi } = await import('koffi')
  const libc = koffi.load(null)
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
  return {
    // Node has no name for 115.
    error: () => (koffi.errno() === 115 ? 'EINPROGRESS' : getSystemErrorName(-koffi.errno())),
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

function must(c: CLibrary, result: number, call: string): number {
  if (result >= 0) return result
  const code = c.error()
  throw systemError(code, `${call}: ${code}`)
}

/** Errors have the system's code. `connect` and `send` return the code instead; null: success. */
export class CSocket {
  readonly #c: CLibrary
  readonly fd: number
  #carrier: Socket | null = null
  #isOpen = true

  private constructor(c: CLibrary, fd: number) {
    this.#c = c
    this.fd = fd
  }

  /** Doesn't block. Closed again if `prepare` throws. */
  static async open(
    [domain, type, protocol]: [domain: number, type: number, protocol: number],
    prepare: (socket: CSocket) => void,
  ): Promise<CSocket> {
    library ??= bindLibrary()
    const c = await library
    const socket = new CSocket(
      c,
      must(c, c.socket(domain, type | nonBlocking | closeOnExec, protocol), 'socket'),
    )
    try {
      prepare(socket)
      return socket
    } catch (error) {
      socket.close()
      throw error
    }
  }

  setOption(level: number, option: number, value: number | Buffer): void {
    const bytes = typeof value === 'number' ? Buffer.from(Int32Array.of(value).buffer) : value
    must(this.#c, this.#c.setOption(this.fd, level, option, bytes, bytes.length), 'setsockopt')
  }

  /** Classic BPF, 8 bytes per instruction. */
  setFilter(instructions: Buffer): void {
    const program = { length: instructions.length / 8, instructions }
    must(this.#c, this.#c.setFilter(this.fd, solSocket, soAttachFilter, program, 16), 'setsockopt')
  }

  bind(address: Buffer): void {
    must(this.#c, this.#c.bind(this.fd, address, address.length), 'bind')
  }

  localPort(): number {
    const name = Buffer.alloc(28)
    must(
      this.#c,
      this.#c.ownName(this.fd, name, Buffer.from(Uint32Array.of(name.length).buffer)),
      'getsockname',
    )
    return name.readUInt16BE(2)
  }

  connect(address: Buffer): string | null {
    return this.#c.connect(this.fd, address, address.length) < 0 ? this.#c.error() : null
  }

  send(message: Buffer): string | null {
    return this.#c.send(this.fd, message, message.length, 0) < 0 ? this.#c.error() : null
  }

  /** An IP address with a port, as the system's calls take it. */
  socketAddress(ip: string, port = 0): Buffer {
    const family = familyOf(ip)
    const head = Buffer.alloc(family === 4 ? 4 : 8)
    head.writeUInt16LE(families[family].domain)
    head.writeUInt16BE(port, 2)
    // Followed by padding, or by the scope.
    return Buffer.concat([head, this.addressBytes(ip), Buffer.alloc(family === 4 ? 8 : 4)])
  }

  addressBytes(ip: string): Buffer {
    const family = familyOf(ip)
    const bytes = Buffer.alloc(family === 4 ? 4 : 16)
    if (this.#c.parseAddress(families[family].domain, ip, bytes) === 1) return bytes
    throw systemError('EINVAL', `${ip} isn't an IP address`)
  }

  /**
   * Calls `onReady` when the socket is ready. Node only polls descriptors of its own handles, so an epoll set replaces the
   * descriptor of a UDP socket: when our socket is ready, Node's read of it fails with ENOTSOCK, which is the notification.
   */
  watch(onReady: () => void, events = readable): void {
    const c = this.#c
    const set = must(c, c.epollCreate(closeOnExec), 'epoll_create1')
    const wanted = Buffer.alloc(16)
    wanted.writeUInt8(events)
    const carrier = createSocket('udp4')
    try {
      must(c, c.epollControl(set, 1, this.fd, wanted), 'epoll_ctl')
      const adopted = must(c, c.socket(2, sockDgram | nonBlocking | closeOnExec, 0), 'socket')
      carrier.on('error', onReady)
      carrier.bind({ fd: adopted })
      // Must happen in the same tick: libuv starts to poll the descriptor in the next iteration of the event loop.
      must(c, c.replace(set, adopted, closeOnExec), 'dup3')
      this.#carrier = carrier
    } catch (error) {
      carrier.close()
      throw error
    } finally {
      c.close(set)
    }
  }

  /** Null: nothing is queued. */
  receive(flags: number): Received | null {
    const header = {
      name: nameBytes,
      nameLength: nameBytes.length,
      vector: { base: messageBytes, length: messageBytes.length },
      vectorLength: 1,
      control: controlBytes,
      controlLength: controlBytes.length,
      flags: 0,
    }
    const length = Number(this.#c.receive(this.fd, header, flags))
    if (length < 0) return null
    return {
      message: Buffer.from(messageBytes.subarray(0, Math.min(length, messageBytes.length))),
      name: Buffer.from(nameBytes.subarray(0, Math.min(header.nameLength, nameBytes.length))),
      control: readControl(controlBytes.subarray(0, Number(header.controlLength))),
      length,
    }
  }

  /** The next ICMP error, with the message of ours that it quotes; null: none is queued. */
  receiveError(family: CFamily): { message: Buffer; error: SocketError } | null {
    const { level, receiveErrors } = families[family]
    const received = this.receive(errorQueue)
    const entry = received?.control.find((entry) => entry.level === level && entry.type === receiveErrors)
    return received && entry ? { message: received.message, error: readError(entry.data) } : null
  }

  /** The pending error of a connection; null: none. */
  pendingError(): string | null {
    const pending = Buffer.alloc(4)
    this.#c.getOption(this.fd, solSocket, soError, pending, Buffer.from(Uint32Array.of(4).buffer))
    const number = pending.readInt32LE()
    return number === 0 ? null : getSystemErrorName(-number)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#carrier?.close()
    this.#c.close(this.fd)
  }
}

/** A socket that also reports the ICMP errors of routers. `ttl` null: the system's default. */
export function openIpSocket(
  family: CFamily,
  [type, protocol]: [type: number, protocol: number],
  ttl: number | null,
  prepare: (socket: CSocket) => void,
): Promise<CSocket> {
  const { domain, level, receiveErrors, setTtl } = families[family]
  return CSocket.open([domain, type, protocol], (socket) => {
    socket.setOption(level, receiveErrors, 1)
    if (ttl !== null) socket.setOption(level, setTtl, ttl)
    prepare(socket)
  })
}

export interface Received {
  message: Buffer
  /** The sender's socket address, as bytes. */
  name: Buffer
  control: { level: number; type: number; data: Buffer }[]
  /** With `trueLength`: more than `message.length` if the message was truncated. */
  length: number
}

const messageBytes = Buffer.alloc(4096)
const nameBytes = Buffer.alloc(128)
const controlBytes = Buffer.alloc(512)

/** Entries are aligned to 8 bytes: length (8 bytes), level, type, then the data. */
function readControl(control: Buffer): Received['control'] {
  const messages: Received['control'] = []
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

/** struct sock_extended_err, then the address of the sender; origins 2 and 3 are ICMP and ICMPv6. */
function readError(data: Buffer): SocketError {
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
  return ipv6Text(name.subarray(8, 24))
}
