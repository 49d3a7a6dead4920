// Pings one address over an ICMP socket: sends requests at a fixed interval and matches replies to them. A missing reply
// counts as loss.
import { randomBytes, randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { failureOf, failureOfAbort } from './failure.ts'
import { decodeIcmp, type EchoFamily, echoTypes, encodeEcho, tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket, type PingSocket, type PingSocketType } from './ping-socket.ts'
import type { ProbeContext } from './probe-reply.ts'

export interface PingRequest {
  address: string
  count: number
  intervalMs: number
  /** How long after the last request a reply still counts. */
  timeoutMs: number
  /** Marks the requests, so that a packet capture can recognize them and their replies. Random unless stated. */
  token?: Buffer
}

export interface PingResult {
  sequence: number
  /** Of the ICMP message that came back; null: none. */
  type: number | null
  code: number | null
  success: boolean
  rtt: number | null
  ttl: number | null
  error?: string
}

export interface PingOutcome {
  /** One for each request that was sent. */
  results: PingResult[]
  failure: Failure | null
}

export async function echo(
  type: PingSocketType,
  request: PingRequest,
  context: ProbeContext,
): Promise<PingOutcome> {
  const { signal } = context
  const family: EchoFamily = isIPv6(request.address) ? 6 : 4
  if (signal.aborted) return { results: [], failure: failureOfAbort(signal, 'connect', request.address) }
  const session = newSession(family, request.token ?? randomBytes(tokenSize), context.monotonic)
  let socket: PingSocket
  try {
    socket = await openPingSocket(type, family, request.address, session.onArrival)
  } catch (error) {
    return { results: [], failure: failureOf(error, 'connect', request.address) }
  }
  const isInTime = await pace(request, signal, session, socket)
  socket.close()
  const failure = isInTime ? null : failureOfAbort(signal, 'wait', request.address)
  return { results: session.results, failure }
}

type Session = ReturnType<typeof newSession>

function newSession(family: EchoFamily, token: Buffer, monotonic: () => number) {
  const id = randomInt(65_536)
  const results: PingResult[] = []
  const sentAt: number[] = []
  const session = {
    results,
    open: 0,
    onSettled: () => {},
    sendNext(socket: PingSocket) {
      const sequence = results.length
      const result: PingResult = { sequence, type: null, code: null, success: false, rtt: null, ttl: null }
      results.push(result)
      sentAt.push(monotonic())
      session.open += 1
      const error = socket.send(encodeEcho(family, { id, sequence, token }))
      if (error) settle(result, { error })
    },
    onArrival({ message, ttl, error }: Arrival) {
      const receivedAt = monotonic()
      const icmp = decodeIcmp(message)
      const result = icmp && results[icmp.sequence]
      // Only the first reply counts.
      if (!result || result.type !== null || result.error !== undefined) return
      if (error) {
        if (icmp.token.length === tokenSize && !icmp.token.equals(token)) return
        return settle(result, { type: error.icmpType, code: error.icmpCode, error: error.code })
      }
      if (icmp.type !== echoTypes[family].reply || !icmp.token.equals(token)) return
      const rtt = Math.max(0, receivedAt - (sentAt[icmp.sequence] ?? receivedAt))
      settle(result, { type: icmp.type, code: icmp.code, success: true, rtt, ttl })
    },
  }
  function settle(result: PingResult, change: Partial<PingResult>) {
    Object.assign(result, change)
    session.open -= 1
    session.onSettled()
  }
  return session
}

/** True: every request got its reply or timed out. False: the run was aborted before that. */
function pace(
  request: PingRequest,
  signal: AbortSignal,
  session: Session,
  socket: PingSocket,
): Promise<boolean> {
  return new Promise((settle) => {
    let timer: NodeJS.Timeout | undefined
    const done = (isInTime: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      settle(isInTime)
    }
    const onAbort = () => done(false)
    const next = () => {
      session.sendNext(socket)
      if (session.results.length < request.count) timer = setTimeout(next, request.intervalMs)
      else if (session.open === 0) done(true)
      else timer = setTimeout(() => done(true), request.timeoutMs)
    }
    session.onSettled = () => {
      if (session.open === 0 && session.results.length === request.count) done(true)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    next()
  })
}
