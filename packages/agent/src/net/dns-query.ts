// Asks one name server one question, over UDP or TCP. Beside dial.ts the only file that sends datagrams; the server's
// address passes the agent's rules first. Out: the decoded reply, whatever its code, or why there is none.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6, type Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { type DecodedPacket, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import { deadline } from './deadline.ts'
import { type DialContext, dial, refusal } from './dial.ts'
import { packetType, returnCodeOf } from './dns-answer.ts'
import { addressOf, failureOf, failureOfAbort, isFailure } from './failure.ts'

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
  /** A datagram may get lost: it is sent again after this time, until the time is up. */
  resendMs?: number
}

export interface DnsReply {
  packet: DecodedPacket
  /** How the reply came: a truncated one is asked for again over TCP. */
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
    const found = await ask(query, { ...context, signal: limit.signal })
    return isFailure(found) ? found : { ...found, responseTimeMs: context.monotonic() - start }
  } finally {
    limit.clear()
  }
}

type Asked = Omit<DnsReply, 'responseTimeMs'>

async function ask(query: DnsQuery, context: DialContext): Promise<Asked | Failure> {
  let { protocol } = query
  let edns = true
  // At most four rounds: with or without EDNS0, over UDP and then TCP.
  for (;;) {
    const exchange = protocol === 'UDP' ? askOverUdp : askOverTcp
    const packet = await exchange(query, edns, context)
    if (isFailure(packet)) return packet
    if (edns && isUnknownToServer(packet)) edns = false
    else if (packet.flag_tc && protocol === 'UDP') protocol = 'TCP'
    else return { packet, protocol }
  }
}

/** RFC 6891 §7: a server that does not know EDNS0 answers FORMERR without an OPT record. */
function isUnknownToServer(packet: DecodedPacket): boolean {
  const knowsEdns = packet.additionals?.some(({ type }) => type === 'OPT')
  return !knowsEdns && ['FORMERR', 'NOTIMP'].includes(returnCodeOf(packet))
}

type Reply = DecodedPacket | Failure

function askOverUdp(query: DnsQuery, edns: boolean, { signal }: DialContext): Promise<Reply> {
  const { question, server, resendMs = 2_000 } = query
  const address = addressOf(server.address, server.port)
  const id = randomInt(65_536)
  const message = encodeQuery(id, question, edns)
  return new Promise((settle) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
    let timer: NodeJS.Timeout | undefined
    const done = (outcome: Reply) => {
      clearInterval(timer)
      signal.removeEventListener('abort', onAbort)
      socket.removeAllListeners('message')
      settle(outcome)
      // Errors that come while it closes find nobody, and must not end the process.
      socket.removeAllListeners('error').on('error', () => {})
      if (!isClosed) socket.close()
      isClosed = true
    }
    let isClosed = false
    const fail = (error: Error) => done(failureOf(error, 'wait', address))
    const onAbort = () => done(failureOfAbort(signal, 'wait', address))
    const send = () => socket.send(message, (error) => error && fail(error))
    socket.on('error', fail)
    // Connected, the kernel drops what comes from elsewhere, and tells of a closed port.
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
): Promise<Reply> {
  const ipFamily = isIPv6(server.address) ? 'IPv6' : 'IPv4'
  const dialled = await dial({ host: server.address, port: server.port, ipFamily }, context)
  if (dialled.failure) return dialled.failure
  const { socket } = dialled
  const id = randomInt(65_536)
  const message = encodeQuery(id, question, edns)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  socket.write(Buffer.concat([length, message]))
  const address = addressOf(server.address, server.port)
  const data = await readMessage(socket, context.signal, address)
  socket.destroy()
  if (isFailure(data)) return data
  const wrong = 'the name server answered something else than was asked'
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
    socket.on('close', () =>
      done(failureOf(Object.assign(new Error('closed'), { code: 'ECONNRESET' }), 'wait', address)),
    )
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2) return
      const end = 2 + received.readUInt16BE(0)
      if (received.length >= end) done(received.subarray(2, end))
    })
  })
}

// 1232: fits every path without fragments (DNS flag day 2020).
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

/** Null: not the reply to this question, be it forged, late or broken. */
function readReply(data: Buffer, id: number, question: DnsQuestion): DecodedPacket | null {
  let packet: DecodedPacket
  try {
    packet = decode(data)
  } catch {
    return null
  }
  if (packet.id !== id || !packet.flag_qr) return null
  const [asked, ...others] = packet.questions ?? []
  // A server that could not read or would not take the question may leave it out.
  if (!asked)
    return ['FORMERR', 'NOTIMP', 'SERVFAIL', 'REFUSED'].includes(returnCodeOf(packet)) ? packet : null
  const isSame = asked.type === packetType(question.type) && bare(asked.name) === bare(question.name)
  return isSame && others.length === 0 ? packet : null
}

const bare = (name: string) => name.replace(/\.$/, '').toLowerCase()

function nameProblem(name: string): string | null {
  const labels = name.replace(/\.$/, '').split('.')
  if (name === '.') return null
  if (labels.some((label) => label === '')) return 'a part of the name is empty'
  if (labels.some((label) => Buffer.byteLength(label) > 63))
    return 'a part of the name is longer than 63 bytes'
  return Buffer.byteLength(name) > 253 ? 'the name is longer than 253 bytes' : null
}
