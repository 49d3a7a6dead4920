// An ICMP monitor's run: pings at a fixed interval. Lost packets aren't a failure of the run; the thresholds of the check
// decide when it is judged.
import { isIPv6 } from 'node:net'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { firstAllowed } from '../net/dial.ts'
import type { PingResult } from '../net/echo.ts'
import { failureOf, isFailure } from '../net/failure.ts'
import { packetSize } from '../net/icmp-packet.ts'
import { type PingMethod, type PingModeName, ping, pingMethods } from '../net/ping.ts'
import { resolveHost } from '../net/resolve.ts'
import { roundMs, statisticsOf } from '../net/timings.ts'
import type { CheckOf, Run, RunContext, Runner } from './runner.ts'

export type IcmpSettings = CheckOf<'ICMP'>['request']

export interface IcmpDetail {
  request: { hostname: string; ipFamily: 'IPv4' | 'IPv6'; pingCount: number }
  /** Null: no packet was sent. */
  response: IcmpResponse | null
  requestError: string | null
  /** How the agent pinged. */
  mode: PingModeName | null
}

interface IcmpResponse {
  hostname: string
  resolvedIp: string
  ipFamily: 'IPv4' | 'IPv6'
  pingCount: number
  packetsSent: number
  packetsReceived: number
  packetSize: number
  /** Percent. */
  packetLoss: number
  dnsResolutionTime: number
  latency: Latency
  pingResults: PingResult[]
}

/** Milliseconds; null: there was no reply. */
export type Latency = Record<'avg' | 'min' | 'max' | 'stdDev', number | null>

export interface IcmpRunnerOptions {
  methods?: readonly PingMethod[]
  intervalMs?: number
  /** How long after the last packet a reply still counts. */
  timeoutMs?: number
}

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

export function icmpRunner(options: IcmpRunnerOptions): Run<IcmpSettings, IcmpDetail> {
  return async ({ settings }, context) => {
    const { clock } = context
    const startedAt = clock.now()
    const start = clock.monotonic()
    const request = {
      hostname: settings.hostname,
      ipFamily: settings.ipFamily ?? 'IPv4',
      pingCount: settings.pingCount ?? 10,
    }
    const run = await pingTarget(request, options, context)
    return observe(request, run, { startedAt, durationMs: roundMs(clock.monotonic() - start) })
  }
}

interface IcmpRun {
  address: string | null
  dnsMs: number
  results: PingResult[]
  failure: Failure | null
  mode: PingModeName | null
}

async function pingTarget(
  { hostname, ipFamily, pingCount: count }: IcmpDetail['request'],
  { methods = pingMethods, intervalMs = 500, timeoutMs = 2_000 }: IcmpRunnerOptions,
  { clock, signal, network, lookup }: RunContext,
): Promise<IcmpRun> {
  const start = clock.monotonic()
  const addresses = await resolveHost(hostname, ipFamily, signal, lookup)
  const dnsMs = roundMs(clock.monotonic() - start)
  const fail = (failure: Failure): IcmpRun => ({ address: null, dnsMs, results: [], failure, mode: null })
  if (isFailure(addresses)) return fail(addresses)
  const address = firstAllowed(addresses, network)
  if (typeof address !== 'string') return fail(address)
  const request = { address, count, intervalMs, timeoutMs }
  const context = { signal, monotonic: clock.monotonic }
  const outcome = await ping(request, context, methods)
  return { address, dnsMs, ...outcome, failure: outcome.failure ?? unreachable(outcome.results, address) }
}

/** Without any reply, the reason that the network reports is more useful than the loss. */
function unreachable(results: PingResult[], address: string): Failure | null {
  const error = results.find((result) => result.error !== undefined)?.error
  if (error === undefined || results.some(({ success }) => success)) return null
  return failureOf(Object.assign(new Error(error), { code: error }), 'connect', address)
}

function observe(
  request: IcmpDetail['request'],
  { address, dnsMs, results, failure, mode }: IcmpRun,
  times: { startedAt: number; durationMs: number },
): Observation<IcmpDetail> {
  const latency = latencyOf(results)
  const packetsReceived = results.filter(({ success }) => success).length
  const response: IcmpResponse | null =
    address === null || results.length === 0
      ? null
      : {
          hostname: request.hostname,
          resolvedIp: address,
          ipFamily: isIPv6(address) ? 'IPv6' : 'IPv4',
          pingCount: request.pingCount,
          packetsSent: results.length,
          packetsReceived,
          packetSize,
          packetLoss: roundMs(((results.length - packetsReceived) / results.length) * 100),
          dnsResolutionTime: dnsMs,
          latency,
          pingResults: results,
        }
  return {
    ...times,
    responseTimeMs: latency.avg === null ? null : roundMs(latency.avg),
    failure,
    detail: { request, response, requestError: failure?.message ?? null, mode },
    subjects: response ? subjectsOf(response) : {},
  }
}

export function latencyOf(results: readonly PingResult[]): Latency {
  const times = results.flatMap(({ rtt }) => (rtt === null ? [] : [rtt]))
  if (times.length === 0) return { avg: null, min: null, max: null, stdDev: null }
  return statisticsOf(times)
}

function subjectsOf(response: IcmpResponse): Record<string, Subject> {
  const known = Object.entries(response.latency).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return {
    ...(known.length > 0 && { LATENCY: { kind: 'named', values: Object.fromEntries(known) } as const }),
    JSON_RESPONSE: { kind: 'json', value: response },
  }
}
