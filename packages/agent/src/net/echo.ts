// Pings one address over an ICMP socket: requests at a steady pace, replies matched to them, silence counted as loss.
import { randomBytes, randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { failureOf, failureOfAbort } from './failure.ts'
import { decodeIcmp, type EchoFamily, echoTypes, encodeEcho, tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket, type PingSocket, type PingSocketType } from './ping-socket.ts'

export interface PingPlan {
  address: string
  count: number
  intervalMs: number
  /** How long after the last request a reply still counts. */
  timeoutMs: number
}

export interface PingContext {
  signal: AbortSignal
  monotonic(): number
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

export async function echo(type: PingSocketType, plan: PingPlan, context: PingContext): Promise<PingOutcome> {
  const { signal } = context
  const family: EchoFamily = isIPv6(plan.address) ? 6 : 4
  if (signal.aborted) return { results: [], failure: failureOfAbort(signal, 'connect', plan.address) }
  const session = newSession(family, context.monotonic)
  let socket: PingSocket
  try {
    socket = await openPingSocket(type, family, plan.address, session.onArrival)
  } catch (error) {
    return { results: [], failure: failureOf(error, 'connect', plan.address) }
  }
  const isInTime = await pace(plan, signal, session, socket)
  socket.close()
  const failure = isInTime ? null : failureOfAbort(signal, 'wait', plan.address)
  return { results: session.results, failure }
}

type Session = ReturnType<typeof newSession>

function newSession(family: EchoFamily, monotonic: () => number) {
  const id = randomInt(65_536)
  const token = randomBytes(tokenSize)
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
      // The first reply counts; a duplicate tells nothing new.
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
  function settle(result: PingResult, news: Partial<PingResult>) {
    Object.assign(result, news)
    session.open -= 1
    session.onSettled()
  }
  return session
}

/** True when every request was answered or had its time; false when the run's time was up before. */
function pace(plan: PingPlan, signal: AbortSignal, session: Session, socket: PingSocket): Promise<boolean> {
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
      if (session.results.length < plan.count) timer = setTimeout(next, plan.intervalMs)
      else if (session.open === 0) done(true)
      else timer = setTimeout(() => done(true), plan.timeoutMs)
    }
    session.onSettled = () => {
      if (session.open === 0 && session.results.length === plan.count) done(true)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    next()
  })
}
