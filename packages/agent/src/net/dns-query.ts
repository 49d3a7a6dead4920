// Sends one question to one name server, over UDP or TCP, and returns the decoded reply, whatever its code, or a failure.
// The server's address is checked against the address policy first.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6, type Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { type DecodedPacket, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import { deadline } from './deadline.ts'
import { type DialContext, dial, refusal } from './dial.ts'
import { packetType, returnCodeOf } from './dns-reply.ts'
import { addressOf, connectionClosed, failureOf, failureOfAbort, isFailure } from './failure.ts'

export interface DnsServer {
  address: string
  port: number
}

interface DnsQuestion {
  name: string
  type: RecordType | 'HTTPS'
}

export interface DnsQuery {
  question: DnsQuestion
  server: DnsServer
  protocol: 'UDP' | 'TCP'
  timeoutMs: number
  /** The datagram is sent again after each interval, since it may get lost. */
  resendMs?: number
}

export interface DnsReply {
  packet: DecodedPacket
  /** A truncated reply over UDP is requested again over TCP. */
  protocol: 'UDP' | 'TCP'
  responseTimeMs: number
}

export async function queryDns(query: DnsQuery, context: DialContext): Promise<DnsReply | Failure> {
  const { question, server } = query
  const problem = nameProblem(question.name)
  if (problem)
    return {
      kind: 'dns',
      message: `${question.name} isn't a valid name: ${problem}.`,
      phase: 'setup',
      code: 'EBADNAME',
    }
  const address = addressOf(server.address, server.port)
  const refused = context.network.refusalOf(server.address)
  if (refused) return refusal(address, refused)
  const start = context.monotonic()
  const limit = deadline(context.signal, query.timeoutMs)
  try {
    const reply = await ask(query, { ...context, signal: limit.signal })
    return isFailure(reply) ? reply : { ...reply, responseTimeMs: context.monotonic() - start }
  } finally {
    limit.clear()
  }
}

async function ask(
  query: DnsQuery,
  context: DialContext,
): Promise<Omit<DnsReply, 'responseTimeMs'> | Failure> {
  let { protocol } = query
  let edns = true
  // At most four rounds: with or without EDNS0, over UDP and then TCP.
  for (;;) {
    const exchange = protocol === 'UDP' ? askOverUdp : askOverTcp
    const packet = await exchange(query, edns, context)
    if (isFailure(packet)) return packet
    if (edns && isEdnsUnsupported(packet)) edns = false
    else if (packet.flag_tc && protocol === 'UDP') protocol = 'TCP'
    else return { packet, protocol }
  }
}

/** RFC 6891 §7: a server without EDNS0 replies FORMERR, without an OPT record. */
function isEdnsUnsupported(packet: DecodedPacket): boolean {
  const knowsEdns = packet.additionals?.some(({ type }) => type === 'OPT')
  return !knowsEdns && ['FORMERR', 'NOTIMP'].includes(returnCodeOf(packet))
}

type PacketOrFailure = DecodedPacket | Failure

function askOverUdp(query: DnsQuery, edns: boolean, { signal }: DialContext): Promise<PacketOrFailure> {
  const { question, server, resendMs = 2_000 } = query
  const address = addressOf(server.address, server.port)
  const id = randomInt(65_536)
  const message = encodeQuery(id, question, edns)
  return new Promise((settle) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
    let timer: NodeJS.Timeout | undefined
    const done = (outcome: PacketOrFailure) => {
      clearInterval(timer)
      signal.removeEventListener('abort', onAbort)
      socket.removeAllListeners('message')
      settle(outcome)
      // An error without a listener while the socket closes would end the process.
      socket.removeAllListeners('error').on('error', () => {})
      if (!isClosed) socket.close()
      isClosed = true
    }
    let isClosed = false
    const fail = (error: Error) => done(failureOf(error, 'wait', address))
    const onAbort = () => done(failureOfAbort(signal, 'wait', address))
    const send = () => socket.send(message, (error) => error && fail(error))
    socket.on('error', fail)
    // On a connected socket, the kernel drops datagrams of other hosts and reports a closed port.
    socket.on('connect', () => {
      if (isClosed) return
      send()
      timer = setInterval(send, resendMs)
    })
    socket.on('message', (data) => {
      const packet = readReply(data, id, question)
      if (packet) done(packet)
    })
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.connect(server.port, server.address)
  })
}

async function askOverTcp(
  { question, server }: DnsQuery,
  edns: boolean,
  context: DialContext,
): Promise<PacketOrFailure> {
  const ipFamily = isIPv6(server.address) ? 'IPv6' : 'IPv4'
  const dialed = await dial({ host: server.address, port: server.port, ipFamily }, context)
  if (dialed.failure) return dialed.failure
  const { socket } = dialed
  const id = randomInt(65_536)
  const message = encodeQuery(id, question, edns)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  socket.write(Buffer.concat([length, message]))
  const address = addressOf(server.address, server.port)
  const data = await readMessage(socket, context.signal, address)
  socket.destroy()
  if (isFailure(data)) return data
  const wrong = "The name server's reply doesn't match the question."
  const failure: Failure = { kind: 'protocol', message: wrong, phase: 'receive', address, code: 'EBADRESP' }
  return readReply(data, id, question) ?? failure
}

function readMessage(socket: Socket, signal: AbortSignal, address: string): Promise<Buffer | Failure> {
  return new Promise((settle) => {
    let received = Buffer.alloc(0)
    const done = (outcome: Buffer | Failure) => {
      signal.removeEventListener('abort', onAbort)
      settle(outcome)
    }
    const onAbort = () => done(failureOfAbort(signal, 'wait', address))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error) => done(failureOf(error, 'wait', address)))
    socket.on('close', () => done(failureOf(connectionClosed(), 'wait', address)))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2) return
      const end = 2 + received.readUInt16BE(0)
      if (received.length >= end) done(received.subarray(2, end))
    })
  })
}

// Fits every path without fragmentation (DNS flag day 2020).
const udpPayloadSize = 1232

function encodeQuery(id: number, { name, type }: DnsQuestion, edns: boolean): Buffer {
  return encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name, type: packetType(type) }],
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  })
}

/** Null: it isn't a reply to this question, but forged, late or invalid. */
function readReply(data: Buffer, id: number, question: DnsQuestion): DecodedPacket | null {
  let packet: DecodedPacket
  try {
    packet = decode(data)
  } catch {
    return null
  }
  if (packet.id !== id || !packet.flag_qr) return null
  const [asked, ...others] = packet.questions ?? []
  // A server that rejects the question may omit it.
  if (!asked)
    return ['FORMERR', 'NOTIMP', 'SERVFAIL', 'REFUSED'].includes(returnCodeOf(packet)) ? packet : null
  const isSame =
    asked.type === packetType(question.type) && normalizeName(asked.name) === normalizeName(question.name)
  return isSame && others.length === 0 ? packet : null
}

const normalizeName = (name: string) => name.replace(/\.$/, '').toLowerCase()

function nameProblem(name: string): string | null {
  const labels = name.replace(/\.$/, '').split('.')
  if (name === '.') return null
  if (labels.some((label) => label === '')) return 'a part of the name is empty'
  if (labels.some((label) => Buffer.byteLength(label) > 63))
    return 'a part of the name is longer than 63 bytes'
  return Buffer.byteLength(name) > 253 ? 'the name is longer than 253 bytes' : null
}
