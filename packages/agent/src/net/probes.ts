// The probes of a trace: one packet with a limited TTL, which Node cannot set for a connection, and the router or target that
// replies. TCP and UDP probes need no permission on Linux; the router's address of a TCP probe needs Linux 5.6.
import { randomBytes, randomInt } from 'node:crypto'
import { errorCode } from '@vedette/safeguards/errors'
import {
  type CFamily,
  type CSocket,
  familyOf,
  openIpSocket,
  type SocketError,
  sockDgram,
  sockStream,
  writable,
} from './c-socket.ts'
import type { DialContext } from './dial.ts'
import { tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket } from './ping-socket.ts'

export interface ProbeRequest {
  /** Has passed the address policy. */
  address: string
  /** ICMP has none. */
  port: number
  /** Null: the system's default. */
  ttl: number | null
  timeoutMs: number
}

export interface ProbeReply {
  /** `connected` and `refused` come from the target, `hop` and `unreachable` from a router, `error` from this system. */
  kind: 'connected' | 'refused' | 'hop' | 'unreachable' | 'error' | 'silent'
  from: string | null
  rttMs: number | null
  code: string | null
}

type UntimedReply = Omit<ProbeReply, 'rttMs'>

export type ProbeContext = Pick<DialContext, 'signal' | 'monotonic'>

/** Throws an error with the system's code if the socket can't be opened. The caller calls `run` or `close`. */
export async function openTcpProbe({ address, port, ttl, timeoutMs }: ProbeRequest) {
  const family = familyOf(address)
  const socket = await openIpSocket(family, [sockStream, 0], ttl, (opened) =>
    opened.bind(opened.socketAddress(family === 4 ? '0.0.0.0' : '::')),
  )
  return {
    localPort: socket.localPort(),
    close: () => socket.close(),
    /** May be called once. Always closes the probe. */
    run: (context: ProbeContext): Promise<ProbeReply> =>
      awaitReply(context, timeoutMs, socket, (settle) => {
        const code = socket.connect(socket.socketAddress(address, port))
        if (code === null) return settle(replyOf(address))
        if (code !== 'EINPROGRESS') return settle(replyOfCode(code, address))
        socket.watch(() => settle(readTcpReply(socket, family, address)), writable)
      }),
  }
}

/** Throws an error with the system's code if the socket can't be opened. */
export async function probeByUdp(
  { address, port, ttl, timeoutMs }: ProbeRequest,
  context: ProbeContext,
): Promise<ProbeReply> {
  const family = familyOf(address)
  const socket = await openIpSocket(family, [sockDgram, 0], ttl, () => {})
  return awaitReply(context, timeoutMs, socket, (settle) => {
    const refused = socket.connect(socket.socketAddress(address, port))
    if (refused !== null) return settle(errorReply(refused))
    socket.watch(() => {
      const report = socket.receiveError(family)
      settle(report ? icmpReply(report.error, family, address) : replyOf(address))
    })
    const unsent = socket.send(Buffer.alloc(32))
    if (unsent !== null) settle(errorReply(unsent))
  })
}

/** Throws an error with the system's code if neither kind of socket is permitted. */
export async function probeByIcmp(
  { address, ttl, timeoutMs }: ProbeRequest,
  context: ProbeContext,
): Promise<ProbeReply> {
  const sequence = randomInt(65_536)
  let onArrival = (_: Arrival) => {}
  const open = (type: 'ping-socket' | 'raw-socket') =>
    openPingSocket(type, { address, ttl, token: randomBytes(tokenSize) }, (arrival) => onArrival(arrival))
  const socket = await open('ping-socket').catch(() => open('raw-socket'))
  return awaitReply(context, timeoutMs, socket, (settle) => {
    onArrival = ({ icmp, error }) => {
      // A raw socket also receives errors about other probes of the same target.
      if (icmp.sequence !== sequence) return
      settle(error ? icmpReply(error, familyOf(address), address) : replyOf(address))
    }
    const code = socket.send(sequence)
    if (code !== null) settle(errorReply(code))
  })
}

const replyOf = (address: string): UntimedReply => ({ kind: 'connected', from: address, code: null })
const errorReply = (code: string): UntimedReply => ({ kind: 'error', from: null, code })

const replyOfCode = (code: string, address: string): UntimedReply =>
  code === 'ECONNREFUSED' ? { kind: 'refused', from: address, code } : errorReply(code)

function readTcpReply(socket: CSocket, family: CFamily, address: string): UntimedReply {
  const report = socket.receiveError(family)
  if (report && report.error.icmpType !== null) return icmpReply(report.error, family, address)
  const code = socket.pendingError()
  return code === null ? replyOf(address) : replyOfCode(code, address)
}

const timeExceeded = { 4: 11, 6: 3 } as const

function icmpReply({ icmpType, from, code }: SocketError, family: CFamily, target: string): UntimedReply {
  if (icmpType === null) return errorReply(code)
  if (icmpType === timeExceeded[family]) return { kind: 'hop', from, code }
  return { kind: from === target ? 'refused' : 'unreachable', from, code }
}

/** Calls `send` once and settles with the first reply; without a reply in time the probe is `silent`. Closes the socket. */
function awaitReply(
  { signal, monotonic }: ProbeContext,
  timeoutMs: number,
  socket: { close(): void },
  send: (settle: (reply: UntimedReply) => void) => void,
): Promise<ProbeReply> {
  const { promise, resolve } = Promise.withResolvers<ProbeReply>()
  const start = monotonic()
  const settle = (reply: UntimedReply) => {
    const hasReply = reply.kind !== 'silent' && reply.kind !== 'error'
    resolve({ ...reply, rttMs: hasReply ? monotonic() - start : null })
  }
  const onSilence = () => settle({ kind: 'silent', from: null, code: null })
  const timer = setTimeout(onSilence, timeoutMs)
  signal.addEventListener('abort', onSilence, { once: true })
  try {
    if (signal.aborted) onSilence()
    else send(settle)
  } catch (error) {
    settle(errorReply(errorCode(error) ?? 'EMFILE'))
  }
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onSilence)
    socket.close()
  })
}
