// Pings one address over an ICMP socket: sends requests at a fixed interval and matches replies to them. A missing reply
// counts as loss.
import { randomBytes } from 'node:crypto'
import type { Failure } from '@vedette/contracts'
import { failureOf, failureOfAbort } from './failure.ts'
import { tokenSize } from './icmp-packet.ts'
import { type Arrival, openPingSocket, type PingSocket, type PingSocketType } from './ping-socket.ts'
import type { ProbeContext } from './probes.ts'

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
  { address, count, intervalMs, timeoutMs, token = randomBytes(tokenSize) }: PingRequest,
  { signal, monotonic }: ProbeContext,
): Promise<PingOutcome> {
  const results: PingResult[] = []
  const sentAt: number[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<Failure | null>()
  let open = 0
  let timer: NodeJS.Timeout | undefined

  function settle(result: PingResult, change: Partial<PingResult>) {
    Object.assign(result, change)
    open -= 1
    if (open === 0 && results.length === count) end(null)
  }
  function onArrival({ icmp, ttl, error }: Arrival) {
    const receivedAt = monotonic()
    const { sequence } = icmp
    const result = results[sequence]
    // Only the first reply counts.
    if (!result || result.type !== null || result.error !== undefined) return
    if (error) return settle(result, { type: error.icmpType, code: error.icmpCode, error: error.code })
    const rtt = Math.max(0, receivedAt - (sentAt[sequence] ?? receivedAt))
    settle(result, { type: icmp.type, code: icmp.code, success: true, rtt, ttl })
  }
  function sendNext(socket: PingSocket) {
    const sequence = results.length
    const result: PingResult = { sequence, type: null, code: null, success: false, rtt: null, ttl: null }
    results.push(result)
    sentAt.push(monotonic())
    open += 1
    const error = socket.send(sequence)
    if (error) settle(result, { error })
    if (results.length < count) timer = setTimeout(sendNext, intervalMs, socket)
    else timer = setTimeout(end, timeoutMs, null)
  }

  if (signal.aborted) return { results, failure: failureOfAbort(signal, 'connect', address) }
  let socket: PingSocket
  try {
    socket = await openPingSocket(type, { address, token }, onArrival)
  } catch (error) {
    return { results, failure: failureOf(error, 'connect', address) }
  }
  const onAbort = () => end(failureOfAbort(signal, 'wait', address))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  else sendNext(socket)
  const failure = await ended
  clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
  socket.close()
  return { results, failure }
}
