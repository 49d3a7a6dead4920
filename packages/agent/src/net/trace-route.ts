// The way to a target, hop by hop, by TCP packets that live one router longer each time: firewalls let through what
// the check itself sends. First each distance once, then those that matter again, for the loss.
import { openTcpProbe, type ProbeAnswer } from './tcp-probe.ts'
import { roundMs } from './timings.ts'

export interface TraceHop {
  ttl: number
  /** Whoever answered, most often; null: nobody did, or this kernel does not tell. */
  address: string | null
  sent: number
  received: number
  lossPercent: number
  rttMs: { min: number; avg: number; max: number } | null
  answer: ProbeAnswer['answer']
}

export interface Trace {
  protocol: 'TCP'
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
  timeoutMs?: number
}

interface TraceContext {
  signal: AbortSignal
  monotonic(): number
}

/** Throws where this system can make no such probe. */
export async function traceRoute(
  { address, port }: { address: string; port: number },
  context: TraceContext,
  { maxHops = 30, wave = 4, maxSilent = 8, probes = 3, timeoutMs = 700 }: TraceOptions = {},
): Promise<Trace> {
  const answers: ProbeAnswer[][] = []
  const probe = async (ttl: number) => {
    const opened = await openTcpProbe({ address, port, ttl, timeoutMs })
    answers[ttl - 1] = [...(answers[ttl - 1] ?? []), await opened.run(context)]
  }
  let stopped: Trace['stopped'] | null = null
  let last = 0
  while (stopped === null) {
    const first = last + 1
    last = Math.min(last + wave, maxHops)
    await Promise.all(range(first, last).map(probe))
    const end = answers.findIndex(([answer]) => answer !== undefined && isEnd(answer))
    if (end !== -1) {
      stopped = endings[answers[end]?.[0]?.answer ?? 'error'] ?? 'error'
      last = end + 1
    } else if (context.signal.aborted) stopped = 'time'
    else if (silentTail(answers) >= maxSilent) stopped = 'silence'
    else if (last === maxHops) stopped = 'max hops'
  }
  const seen = answers.slice(0, last).map(([answer]) => answer?.answer)
  const known = stopped === 'reached' ? last : seen.findLastIndex((answer) => answer !== 'silent') + 1
  for (let again = 1; again < probes && !context.signal.aborted; again++) {
    await Promise.all(range(1, known).map(probe))
  }
  const hops = answers.slice(0, last).map((all, index) => hopOf(index + 1, all))
  return { protocol: 'TCP', address, port, reached: stopped === 'reached', stopped, hops }
}

const isEnd = ({ answer }: ProbeAnswer) => answer !== 'hop' && answer !== 'silent'

const endings: Partial<Record<ProbeAnswer['answer'], Trace['stopped']>> = {
  connected: 'reached',
  refused: 'reached',
  unreachable: 'unreachable',
}

function silentTail(answers: ProbeAnswer[][]): number {
  return answers.length - 1 - answers.findLastIndex(([answer]) => answer?.answer !== 'silent')
}

function hopOf(ttl: number, answers: ProbeAnswer[]): TraceHop {
  const times = answers.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]))
  const speaking = answers.filter(({ rttMs }) => rttMs !== null)
  const sum = times.reduce((total, time) => total + time, 0)
  return {
    ttl,
    address: mostFrequent(speaking.flatMap(({ from }) => (from === null ? [] : [from]))),
    sent: answers.length,
    received: times.length,
    lossPercent: roundMs(((answers.length - times.length) / answers.length) * 100),
    rttMs:
      times.length === 0
        ? null
        : {
            min: roundMs(Math.min(...times)),
            avg: roundMs(sum / times.length),
            max: roundMs(Math.max(...times)),
          },
    answer: (speaking[0] ?? answers[0])?.answer ?? 'silent',
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
