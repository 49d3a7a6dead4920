// The path to a target, hop by hop, by packets with a growing TTL. First each distance once, then those that matter
// again, to measure the loss.
import { probeByIcmp } from './icmp-probe.ts'
import type { ProbeAnswer, ProbeContext } from './probe-answer.ts'
import { openTcpProbe, type ProbePlan } from './tcp-probe.ts'
import { roundMs } from './timings.ts'
import { probeByUdp } from './udp-probe.ts'

export type TraceProtocol = 'TCP' | 'UDP' | 'ICMP'

export interface TraceHop {
  ttl: number
  /** The address that answered most often; null: none did, or this kernel doesn't report it. */
  address: string | null
  sent: number
  received: number
  lossPercent: number
  rttMs: { min: number; avg: number; max: number; stdDev: number } | null
  answer: ProbeAnswer['answer']
}

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
  /** Distances probed at the same time: a near target is connected to that often at most. */
  wave?: number
  /** So many silent distances in a row end the search. */
  maxSilent?: number
  /** Probes of each distance in all. */
  probes?: number
  /** Between two probes of the same distance. */
  intervalMs?: number
  timeoutMs?: number
}

export interface TraceTarget {
  /** Passed the address policy. */
  address: string
  /** ICMP has none. */
  port: number
  protocol?: TraceProtocol
}

const probes = {
  TCP: async (plan, context) => (await openTcpProbe(plan)).run(context),
  UDP: probeByUdp,
  ICMP: probeByIcmp,
} satisfies Record<TraceProtocol, (plan: ProbePlan, context: ProbeContext) => Promise<ProbeAnswer>>

/** Throws where this system can make no such probe. */
export async function traceRoute(
  { address, port, protocol = 'TCP' }: TraceTarget,
  context: ProbeContext,
  options: TraceOptions = {},
): Promise<Trace> {
  const { maxHops = 30, wave = 4, maxSilent = 8, timeoutMs = 700, intervalMs = 0 } = options
  const { signal } = context
  const answers: ProbeAnswer[][] = []
  const probe = async (ttl: number) => {
    const answer = await probes[protocol]({ address, port, ttl, timeoutMs }, context)
    // A probe that was cut short isn't a lost packet.
    if (signal.aborted && answer.answer === 'silent') return
    answers[ttl - 1] = [...(answers[ttl - 1] ?? []), answer]
  }
  let stopped: Trace['stopped'] | null = null
  let last = 0
  while (stopped === null) {
    const first = last + 1
    last = Math.min(last + wave, maxHops)
    await Promise.all(range(first, last).map(probe))
    if (answers.some((all) => all?.some(isEnd))) stopped = 'reached'
    else if (signal.aborted) stopped = 'time'
    else if (silentTail(answers, last) >= maxSilent) stopped = 'silence'
    else if (last === maxHops) stopped = 'max hops'
  }
  const known = range(1, last).findLast((ttl) => answers[ttl - 1]?.some(isHeard)) ?? 0
  for (let again = 1; again < (options.probes ?? 3) && !signal.aborted; again++) {
    await pause(intervalMs, signal)
    await Promise.all(range(1, firstEnd(answers) ?? known).map(probe))
  }
  const end = firstEnd(answers)
  const ending = answers[(end ?? 0) - 1]?.find(isEnd)
  if (ending) stopped = endings[ending.answer] ?? 'error'
  const hops = range(1, end ?? last).map((ttl) => hopOf(ttl, answers[ttl - 1] ?? []))
  return { protocol, address, port, reached: stopped === 'reached', stopped, hops }
}

/** The distance of the nearest probe that got to the target. A lost packet can hide it from the first probes. */
function firstEnd(answers: ProbeAnswer[][]): number | null {
  const index = answers.findIndex((all) => all?.some(isEnd))
  return index === -1 ? null : index + 1
}

const isHeard = ({ answer }: ProbeAnswer) => answer !== 'silent'

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0 || signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}

const isEnd = ({ answer }: ProbeAnswer) => answer !== 'hop' && answer !== 'silent'

const endings: Partial<Record<ProbeAnswer['answer'], Trace['stopped']>> = {
  connected: 'reached',
  refused: 'reached',
  unreachable: 'unreachable',
}

function silentTail(answers: ProbeAnswer[][], last: number): number {
  return last - 1 - answers.findLastIndex((all) => all?.some(isHeard))
}

function hopOf(ttl: number, answers: ProbeAnswer[]): TraceHop {
  const times = answers.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]))
  const speaking = answers.filter(({ rttMs }) => rttMs !== null)
  const lost = answers.length - times.length
  return {
    ttl,
    address: mostFrequent(speaking.flatMap(({ from }) => (from === null ? [] : [from]))),
    sent: answers.length,
    received: times.length,
    lossPercent: answers.length === 0 ? 0 : roundMs((lost / answers.length) * 100),
    rttMs: times.length === 0 ? null : summaryOf(times),
    answer: (speaking[0] ?? answers[0])?.answer ?? 'silent',
  }
}

function summaryOf(times: number[]): NonNullable<TraceHop['rttMs']> {
  const avg = times.reduce((total, time) => total + time, 0) / times.length
  const variance = times.reduce((total, time) => total + (time - avg) ** 2, 0) / times.length
  return {
    min: roundMs(Math.min(...times)),
    avg: roundMs(avg),
    max: roundMs(Math.max(...times)),
    stdDev: roundMs(Math.sqrt(variance)),
  }
}

function mostFrequent(addresses: string[]): string | null {
  const counts = new Map<string, number>()
  for (const address of addresses) counts.set(address, (counts.get(address) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}
