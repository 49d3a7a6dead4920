// An ICMP monitor's run: pings at a fixed interval. Lost packets aren't a failure of the run; the thresholds of the check
// decide when it is judged.
import { isIPv6 } from 'node:net'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { firstAllowed } from '../net/dial.ts'
import type { PingResult } from '../net/echo.ts'
import { failureOf, isFailure, systemError } from '../net/failure.ts'
import { packetSize } from '../net/icmp-packet.ts'
import { type PingModeName, ping, pingMethods } from '../net/ping.ts'
import { resolveHost } from '../net/resolve.ts'
import { roundMs, statisticsOf } from '../net/timings.ts'
import type { CheckOf, RunContext, Runner } from './runner.ts'

export type IcmpSettings = CheckOf<'ICMP'>['request']

type IcmpDetail = ReturnType<typeof observationOf>['detail']

export const icmpMonitor = {
  type: 'ICMP',
  run: icmpRunner({}),
  metrics({ detail }) {
    const { min, max, avg, stdDev } = detail?.response?.latency ?? {}
    return {
      packetLoss: detail?.response?.packetLoss,
      latencyMin: min,
      latencyMax: max,
      latencyAvg: avg,
      latencyStdDev: stdDev,
    }
  },
  target: ({ hostname }) => ({ host: hostname, port: null }),
  // A host that never replies is down, whatever loss is accepted.
  failureOf: ({ maxPacketLossThreshold }, observation) =>
    lossFailure(observation, maxPacketLossThreshold ?? 100, 'maxPacketLossThreshold'),
  warningOf: ({ degradedPacketLossThreshold }, observation) =>
    lossFailure(observation, degradedPacketLossThreshold, 'degradedPacketLossThreshold'),
} satisfies Runner<'ICMP', IcmpDetail>

/** A loss that is equal to the threshold counts. */
function lossFailure(
  { detail }: Observation<IcmpDetail | null>,
  threshold: number | null | undefined,
  name: string,
): Failure | null {
  const loss = detail?.response?.packetLoss
  if (loss === undefined || threshold === null || threshold === undefined || loss < threshold) return null
  return {
    kind: 'packet_loss',
    message: `${loss}% of the packets were lost (${name}: ${threshold}%).`,
    phase: 'judge',
  }
}

export function icmpRunner({
  methods = pingMethods,
  intervalMs = 500,
  /** How long after the last packet a reply still counts. */
  timeoutMs = 2_000,
}) {
  return async (settings: IcmpSettings, { clock, signal, network, lookup }: RunContext) => {
    const request = {
      hostname: settings.hostname,
      ipFamily: settings.ipFamily ?? 'IPv4',
      pingCount: settings.pingCount ?? 10,
    }
    const start = clock.monotonic()
    const addresses = await resolveHost(request.hostname, request.ipFamily, signal, lookup)
    const dnsMs = roundMs(clock.monotonic() - start)
    const address = isFailure(addresses) ? addresses : firstAllowed(addresses, network)
    if (typeof address !== 'string') return observationOf(request, null, null, address)
    const pings = { address, count: request.pingCount, intervalMs, timeoutMs }
    const { results, failure, mode } = await ping(pings, { signal, monotonic: clock.monotonic }, methods)
    const response = results.length === 0 ? null : responseOf(request, address, dnsMs, results)
    return observationOf(request, response, mode, failure ?? unreachable(results, address))
  }
}

/** `response` null: no packet was sent. `mode`: how the agent pinged. */
function observationOf(
  request: Pick<IcmpSettings, 'hostname' | 'ipFamily' | 'pingCount'>,
  response: ReturnType<typeof responseOf> | null,
  mode: PingModeName | null,
  failure: Failure | null,
) {
  const avg = response?.latency.avg ?? null
  return {
    responseTimeMs: avg === null ? null : roundMs(avg),
    failure,
    detail: { request, response, requestError: failure?.message ?? null, mode },
    subjects: response ? subjectsOf(response) : {},
  }
}

/** Without any reply, the reason that the network reports is more useful than the loss. */
function unreachable(results: PingResult[], address: string): Failure | null {
  const error = results.find((result) => result.error !== undefined)?.error
  if (error === undefined || results.some(({ success }) => success)) return null
  return failureOf(systemError(error), 'connect', address)
}

function responseOf(
  { hostname, pingCount }: Pick<IcmpSettings, 'hostname' | 'pingCount'>,
  address: string,
  dnsResolutionTime: number,
  results: PingResult[],
) {
  const packetsReceived = results.filter(({ success }) => success).length
  return {
    hostname,
    resolvedIp: address,
    ipFamily: isIPv6(address) ? 'IPv6' : 'IPv4',
    pingCount,
    packetsSent: results.length,
    packetsReceived,
    packetSize,
    /** Percent. */
    packetLoss: roundMs(((results.length - packetsReceived) / results.length) * 100),
    dnsResolutionTime,
    latency: latencyOf(results),
    pingResults: results,
  }
}

/** Null: there was no reply. */
export function latencyOf(
  results: readonly PingResult[],
): Record<'avg' | 'min' | 'max' | 'stdDev', number | null> {
  const times = results.flatMap(({ rtt }) => (rtt === null ? [] : [rtt]))
  if (times.length === 0) return { avg: null, min: null, max: null, stdDev: null }
  return statisticsOf(times)
}

function subjectsOf(response: ReturnType<typeof responseOf>): Record<string, Subject> {
  const known = Object.entries(response.latency).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return {
    ...(known.length > 0 && { LATENCY: { kind: 'named', values: Object.fromEntries(known) } as const }),
    JSON_RESPONSE: { kind: 'json', value: response },
  }
}
