// A traceroute monitor's run: the path to a host, with the loss and the latency of every hop. A destination that isn't
// reached fails the run when it is judged, so that the result shows how far the packets got.
import type { Failure, Subject } from '@vedette/contracts'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { deadline } from '../net/deadline.ts'
import { firstAllowed } from '../net/dial.ts'
import { failureOfAbort, isFailure } from '../net/failure.ts'
import { lookUpNames } from '../net/look-up-names.ts'
import { pingHint } from '../net/ping.ts'
import { resolveHost } from '../net/resolve.ts'
import { roundMs } from '../net/timings.ts'
import { type Trace, type TraceHop, type TraceOptions, traceRoute } from '../net/trace-route.ts'
import type { CheckOf, RunContext, Runner } from './runner.ts'

type TracerouteSettings = CheckOf<'TRACEROUTE'>['request']

export type TracerouteDetail = Awaited<ReturnType<ReturnType<typeof tracerouteRunner>>>['detail']

type TracerouteResponse = Awaited<ReturnType<typeof describe>>

interface TracerouteRunnerOptions {
  probes?: number
  /** Name servers for the host names of hops, instead of the system's. */
  servers?: readonly string[]
}

export const tracerouteMonitor = {
  type: 'TRACEROUTE',
  run: tracerouteRunner({}),
  metrics({ responseTimeMs, detail }) {
    const response = detail?.response
    const latency = response?.finalHopLatency
    return {
      responseTime: responseTimeMs,
      hopCount: response?.totalHops,
      packetLoss: response?.packetLoss,
      latencyMin: latency?.best,
      latencyMax: latency?.worst,
      latencyStdDev: latency?.stdDev,
      unknownHops: response?.unknownHops,
    }
  },
  target: ({ url, protocol, port }) => ({ host: url, port: protocol === 'ICMP' ? null : port }),
  failureOf: (_check, { detail }) => (detail?.response ? notReached(detail.response) : null),
} satisfies Runner<'TRACEROUTE', TracerouteDetail>

export function tracerouteRunner({
  // Linux routers reply to six probes at once from the same host, then to one per second.
  probes = 5,
  servers,
}: TracerouteRunnerOptions) {
  return async (settings: TracerouteSettings, context: RunContext) => {
    const limit = deadline(context.signal, settings.timeout * 1000)
    const path = await trace(
      settings,
      { ...context, signal: limit.signal },
      {
        probes,
        intervalMs: 200,
        // TCP sends its SYN again after a second.
        timeoutMs: 900,
        maxHops: settings.maxHops,
        maxSilent: settings.maxUnknownHops,
      },
    )
    limit.clear()
    // The check's timeout only ends the trace; the signal of the run fails it.
    const traced = context.signal.aborted ? failureOfAbort(context.signal, 'wait') : path
    const failure = isFailure(traced) ? traced : null
    const response = isFailure(traced) ? null : await describe(settings, traced, context.signal, servers)
    const { assertions: _, ...request } = settings
    return {
      responseTimeMs: response?.finalHopLatency?.avg ?? null,
      failure,
      detail: {
        request,
        response,
        totalHops: response?.totalHops ?? null,
        destinationReached: response?.destinationReached ?? null,
        finalHopLatency: response?.finalHopLatency ?? null,
        requestError: failure?.message ?? null,
      },
      subjects: response ? subjectsOf(response) : {},
    }
  }
}

type TimedTrace = Trace & { dnsMs: number }

async function trace(
  { url, ipFamily, port, protocol }: TracerouteSettings,
  { signal, lookup, network, clock }: RunContext,
  options: TraceOptions,
): Promise<TimedTrace | Failure> {
  const start = clock.monotonic()
  const addresses = await resolveHost(url, ipFamily, signal, lookup)
  if (isFailure(addresses)) return addresses
  const dnsMs = roundMs(clock.monotonic() - start)
  const address = firstAllowed(addresses, network)
  if (typeof address !== 'string') return address
  try {
    const target = { address, port: port ?? 443, protocol }
    return { ...(await traceRoute(target, { signal, monotonic: clock.monotonic }, options)), dnsMs }
  } catch (error) {
    const code = errorCode(error) ?? 'TRACE_FAILED'
    const isForbidden = code === 'EPERM' || code === 'EACCES'
    const advice = isForbidden ? ` To fix it, ${pingHint}.` : ''
    return {
      kind: 'internal',
      message: `This agent can't trace by ${protocol}: ${errorMessage(error)}.${advice}`,
      phase: 'setup',
      code: isForbidden ? 'PING_NOT_PERMITTED' : code,
    }
  }
}

const truncationReasons = {
  reached: null,
  unreachable: 'UNREACHABLE',
  silence: 'MAX_UNKNOWN_HOPS',
  'max hops': 'MAX_HOPS',
  time: 'TIMEOUT',
  error: 'ERROR',
} as const satisfies Record<Trace['stopped'], string | null>

async function describe(
  { url, protocol, ptrLookup }: TracerouteSettings,
  { address, reached, stopped, hops, dnsMs }: TimedTrace,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
) {
  const addresses = ptrLookup ? hops.flatMap((hop) => hop.address ?? []) : []
  const names = await lookUpNames(addresses, { signal, ...(servers && { servers }) })
  const last = reached ? hops.at(-1) : undefined
  return {
    hostname: url,
    resolvedIp: address,
    protocol,
    probeProtocol: protocol,
    totalHops: hops.length,
    unknownHops: hops.filter((hop) => hop.address === null).length,
    destinationReached: reached,
    /** Why the trace ended before the destination; null: it was reached. */
    truncationReason: truncationReasons[stopped],
    /** Percent of the probes to the destination; 100 when it wasn't reached. */
    packetLoss: last?.lossPercent ?? 100,
    finalHopLatency: last ? latencyOf(last) : null,
    dnsResolutionTime: dnsMs,
    hops: hops.map((hop) => ({
      hop_number: hop.ttl,
      /** Null: the hop didn't reply. */
      main_ip: hop.address,
      main_host: names.get(hop.address ?? '') ?? null,
      loss_percentage: hop.lossPercent,
      packets_sent: hop.sent,
      packets_received: hop.received,
      rtt: latencyOf(hop),
    })),
  }
}

/** Milliseconds. */
function latencyOf({ rttMs }: TraceHop) {
  return rttMs && { avg: rttMs.avg, best: rttMs.min, worst: rttMs.max, stdDev: rttMs.stdDev }
}

function notReached(response: TracerouteResponse): Failure | null {
  const { destinationReached, truncationReason, totalHops, hops, resolvedIp } = response
  if (destinationReached) return null
  const last = hops.findLast(({ main_ip }) => main_ip !== null)
  const progress = last
    ? `The last hop that replied was ${last.main_ip}, hop ${last.hop_number}.`
    : 'No hop replied.'
  return {
    kind: truncationReason === 'TIMEOUT' ? 'timeout' : 'connect',
    message: `The destination ${resolvedIp} wasn't reached within ${totalHops} hops (${truncationReason}). ${progress}`,
    phase: 'judge',
    address: resolvedIp,
    code: truncationReason ?? 'ERROR',
  }
}

function subjectsOf({ finalHopLatency, totalHops, packetLoss }: TracerouteResponse): Record<string, Subject> {
  const { avg = 0, best: min = 0, worst: max = 0, stdDev = 0 } = finalHopLatency ?? {}
  return {
    // Keyed by the properties of assertions.
    ...(finalHopLatency && { RESPONSE_TIME: { kind: 'named', values: { avg, min, max, stdDev } } as const }),
    HOP_COUNT: { kind: 'number', value: totalHops },
    PACKET_LOSS: { kind: 'number', value: packetLoss },
  }
}
