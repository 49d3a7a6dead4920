// One TCP connection attempt with a limited TTL, which Node cannot set, and the router that replies. Needs no permission on
// Linux; the router's address needs Linux 5.6.

import { isIPv6 } from 'node:net'
import { getSystemErrorName } from 'node:util'
import { errorCode } from '@vedette/safeguards/errors'
import {
  type CFamily,
  type CLibrary,
  closeOnExec,
  families,
  loadLibrary,
  nonBlocking,
  receiveError,
  setNumber,
  socketAddress,
  sockStream,
  watch,
  writable,
} from './c-socket.ts'
import {
  awaitReply,
  icmpReply,
  type ProbeContext,
  type ProbeReply,
  type UntimedReply,
} from './probe-reply.ts'

export interface ProbeRequest {
  /** Has passed the address policy. */
  address: string
  port: number
  /** Null: the system's default. */
  ttl: number | null
  timeoutMs: number
}

export interface TcpProbe {
  localPort: number
  /** May be called once. Always closes the probe. */
  run(context: ProbeContext): Promise<ProbeReply>
  close(): void
}

/** Throws an error with the system's code if the socket can't be opened. */
export async function openTcpProbe({ address, port, ttl, timeoutMs }: ProbeRequest): Promise<TcpProbe> {
  const c = await loadLibrary()
  const family: CFamily = isIPv6(address) ? 6 : 4
  const { domain, level, setTtl, receiveErrors } = families[family]
  const fd = c.must(c.socket(domain, sockStream | nonBlocking | closeOnExec, 0), 'socket')
  let isOpen = true
  const close = () => {
    if (isOpen) c.close(fd)
    isOpen = false
  }
  try {
    setNumber(c, fd, level, receiveErrors, 1)
    if (ttl !== null) setNumber(c, fd, level, setTtl, ttl)
    const localPort = bindAnyPort(c, fd, family)
    const target = socketAddress(c, family, address, port)
    const run: TcpProbe['run'] = async (context) => {
      let stopWatching = () => {}
      try {
        return await awaitReply(context, timeoutMs, (settle) => {
          if (c.connect(fd, target, target.length) >= 0) {
            return settle({ kind: 'connected', from: address, code: null })
          }
          const code = c.error()
          if (code !== 'EINPROGRESS') return settle(replyOfCode(code, address))
          try {
            stopWatching = watch(c, fd, () => settle(readReply(c, fd, family, address)), writable)
          } catch (error) {
            settle(replyOfCode(errorCode(error) ?? 'EMFILE', address))
          }
        })
      } finally {
        stopWatching()
        close()
      }
    }
    return { localPort, run, close }
  } catch (error) {
    close()
    throw error
  }
}

function bindAnyPort(c: CLibrary, fd: number, family: CFamily): number {
  const any = socketAddress(c, family, family === 4 ? '0.0.0.0' : '::')
  c.must(c.bind(fd, any, any.length), 'bind')
  const name = Buffer.alloc(28)
  const length = Buffer.from(Uint32Array.of(name.length).buffer)
  c.must(c.ownName(fd, name, length), 'getsockname')
  return name.readUInt16BE(2)
}

function readReply(c: CLibrary, fd: number, family: CFamily, address: string): UntimedReply {
  const error = receiveError(c, fd, family)
  const reply = error && icmpReply(error, family, address)
  if (reply) return reply
  const pending = Buffer.alloc(4)
  c.getOption(fd, solSocket, soError, pending, Buffer.from(Uint32Array.of(4).buffer))
  const number = pending.readInt32LE()
  if (number === 0) return { kind: 'connected', from: address, code: null }
  return replyOfCode(getSystemErrorName(-number), address)
}

const solSocket = 1
const soError = 4

function replyOfCode(code: string, address: string): UntimedReply {
  const isRefused = code === 'ECONNREFUSED'
  return { kind: isRefused ? 'refused' : 'error', from: isRefused ? address : null, code }
}
