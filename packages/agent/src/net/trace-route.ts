// Traces the path to a target with packets of increasing TTL. First it probes each distance once, then the distances up to the
// last hop again, to measure the loss.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  openTcpProbe,
  type ProbeContext,
  type ProbeReply,
  type ProbeRequest,
  probeByIcmp,
  probeByUdp,
} from './probes.ts'
import { roundMs, statisticsOf } from './timings.ts'

export type TraceProtocol = 'TCP' | 'UDP' | 'ICMP'

export type TraceHop = ReturnType<typeof hopOf>

export interface Trace {
  protocol: TraceProtocol
  address: string
  port: number
  reached: boolean
  stopped: 'reached' | 'unreachable' | 'silence' | 'max hops' | 'time' | 'error'
  hops: TraceHop[]
}

export interface TraceOptions {
  maxHops?: number
  /** The trace ends after this many distances in a row without a reply. */
  maxSilent?: number
  /** Number of probes per distance. */
  probes?: number
  /** Between two probes of the same distance. */
  intervalMs?: number
  timeoutMs?: number
}

type TraceTarget = Pick<ProbeRequest, 'address' | 'port'> & { protocol?: TraceProtocol }

/** Distances that are probed at the same time. A target at distance 1 gets this many connections. */
const wave = 4

const probes = {
  TCP: async (request, context) => (await openTcpProbe(request)).run(context),
  UDP: probeByUdp,
  ICMP: probeByIcmp,
} satisfies Record<TraceProtocol, (request: ProbeRequest, context: ProbeContext) => Promise<ProbeReply>>

/** Throws if this system doesn't support or permit such probes. */
export async function traceRoute(
  { address, port, protocol = 'TCP' }: TraceTarget,
  context: ProbeContext,
  options: TraceOptions = {},
): Promise<Trace> {
  const { maxHops = 30, maxSilent = 8, timeoutMs = 700, intervalMs = 0 } = options
  const { signal } = context
  const replies: ProbeReply[][] = []
  const probe = async (ttl: number) => {
    const reply = await probes[protocol]({ address, port, ttl, timeoutMs }, context)
    // A probe that was aborted isn't a lost packet.
    if (signal.aborted && !isReply(reply)) return
    replies[ttl - 1] = [...(replies[ttl - 1] ?? []), reply]
  }
  let stopped: Trace['stopped'] | null = null
  let last = 0
  while (stopped === null) {
    const first = last + 1
    last = Math.min(last + wave, maxHops)
    await Promise.all(range(first, last).map(probe))
    if (replies.some((all) => all?.some(isEnd))) stopped = 'reached'
    else if (signal.aborted) stopped = 'time'
    else if (silentTail(replies, last) >= maxSilent) stopped = 'silence'
    else if (last === maxHops) stopped = 'max hops'
  }
  const lastReply = range(1, last).findLast((ttl) => replies[ttl - 1]?.some(isReply)) ?? 0
  for (let again = 1; again < (options.probes ?? 3) && !signal.aborted; again++) {
    if (intervalMs > 0) await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
    await Promise.all(range(1, firstEnd(replies) ?? lastReply).map(probe))
  }
  const end = firstEnd(replies)
  const ending = replies[(end ?? 0) - 1]?.find(isEnd)
  if (ending) stopped = endings[ending.kind] ?? 'error'
  const hops = range(1, end ?? last).map((ttl) => hopOf(ttl, replies[ttl - 1] ?? []))
  return { protocol, address, port, reached: stopped === 'reached', stopped, hops }
}

/** The shortest distance at which a probe ended the path. A lost packet can hide it from the first probes. */
function firstEnd(replies: ProbeReply[][]): number | null {
  const index = replies.findIndex((all) => all?.some(isEnd))
  return index === -1 ? null : index + 1
}

const isReply = ({ kind }: ProbeReply) => kind !== 'silent'

const isEnd = ({ kind }: ProbeReply) => kind !== 'hop' && kind !== 'silent'

const endings: Partial<Record<ProbeReply['kind'], Trace['stopped']>> = {
  connected: 'reached',
  refused: 'reached',
  unreachable: 'unreachable',
}

function silentTail(replies: ProbeReply[][], last: number): number {
  return last - 1 - replies.findLastIndex((all) => all?.some(isReply))
}

function hopOf(ttl: number, replies: ProbeReply[]) {
  const received = replies.filter(({ rttMs }) => rttMs !== null)
  const times = received.flatMap(({ rttMs }) => rttMs ?? [])
  const lost = replies.length - times.length
  return {
    ttl,
    /** The address that replied most often; null: none replied, or the kernel doesn't report it. */
    address: mostFrequent(received.flatMap(({ from }) => from ?? [])),
    sent: replies.length,
    received: times.length,
    lossPercent: replies.length === 0 ? 0 : roundMs((lost / replies.length) * 100),
    rttMs: times.length === 0 ? null : summaryOf(times),
    answer: (received[0] ?? replies[0])?.kind ?? 'silent',
  }
}

function summaryOf(times: number[]) {
  const { min, avg, max, stdDev } = statisticsOf(times)
  return { min: roundMs(min), avg: roundMs(avg), max: roundMs(max), stdDev: roundMs(stdDev) }
}

function mostFrequent(addresses: string[]): string | null {
  const groups = [...Map.groupBy(addresses, (address) => address)]
  return groups.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}
