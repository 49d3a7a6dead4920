// A DNS monitor's run: queries the check's name server or, without one, public resolvers and then the system's, until one
// replies. Any return code is a response; the judge reads it from RESPONSE_CODE.
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Failure, Observation, Subject } from '@vedette/contracts'
import type { Attempt, DialContext } from '../net/dial.ts'
import { type DnsReply, type DnsServer, queryDns } from '../net/dns-query.ts'
import { replyToJson, replyToText, returnCodeOf } from '../net/dns-reply.ts'
import { addressOf, isFailure } from '../net/failure.ts'
import { resolveHost } from '../net/resolve.ts'
import { splitServer } from '../net/split-server.ts'
import { roundMs } from '../net/timings.ts'
import type { CheckOf, JudgedAssertion, RunContext, Runner } from './runner.ts'

export type DnsSettings = CheckOf<'DNS'>['request']

type DnsDetail = ReturnType<typeof observationOf>['detail']

const publicResolvers = ['8.8.8.8', '1.1.1.1']

export const dnsMonitor = {
  type: 'DNS',
  run: dnsRunner({}),
  metrics: ({ responseTimeMs }) => ({ total: responseTimeMs }),
  target(_request, detail) {
    const server = detail?.nameServerInfo
    return server ? { host: server.name ?? server.host, port: server.port } : null
  },
  failureOf: responseCodeFailure,
} satisfies Runner<'DNS', DnsDetail>

/** Any code but NOERROR fails, unless an assertion on the response code decides. */
function responseCodeFailure(
  _check: unknown,
  { subjects }: Observation,
  assertions: readonly JudgedAssertion[],
): Failure | null {
  const subject = subjects.RESPONSE_CODE
  if (subject?.kind !== 'text' || subject.value === 'NOERROR') return null
  if (assertions.some(({ source }) => source === 'RESPONSE_CODE')) return null
  return {
    kind: 'dns',
    message: `Expected the response code NOERROR, but it was ${subject.value}.`,
    phase: 'judge',
    code: subject.value,
  }
}

interface DnsRunnerOptions {
  /** Queried in this order if the check has no server: addresses, `address:port` or `[address]:port`. */
  resolvers?: readonly string[]
  timeoutMs?: number
  /** For every resolver but the last. */
  failoverMs?: number
}

export function dnsRunner(options: DnsRunnerOptions) {
  return async (settings: DnsSettings, context: RunContext) => {
    const resolvers = options.resolvers ?? [...publicResolvers, ...getServers()]
    const dialContext = { ...context, monotonic: context.clock.monotonic }
    return observationOf(settings, await ask(settings, { ...options, resolvers }, dialContext))
  }
}

interface DnsRun {
  /** The server that replied, or that was queried last. */
  server: (DnsServer & { name?: string }) | null
  reply: DnsReply | Failure
  tried: Attempt[]
}

async function ask(
  settings: DnsSettings,
  options: DnsRunnerOptions & { resolvers: readonly string[] },
  context: DialContext,
): Promise<DnsRun> {
  const tried: Attempt[] = []
  const servers = await serversFor(settings, options.resolvers, context)
  if (isFailure(servers)) return { server: null, reply: servers, tried }
  const question = { name: asciiName(settings.query), type: settings.recordType }
  const { timeoutMs = 5_000, failoverMs = 2_000 } = options
  let run: DnsRun = { server: null, reply: noResolver, tried }
  for (const [index, server] of servers.entries()) {
    const isLast = index === servers.length - 1
    const limit = { timeoutMs: isLast ? timeoutMs : Math.min(failoverMs, timeoutMs) }
    const reply = await queryDns({ question, server, protocol: settings.protocol, ...limit }, context)
    tried.push({ address: addressOf(server.address, server.port), failure: isFailure(reply) ? reply : null })
    // The failure of a real attempt is more useful than a refusal.
    if (run.server === null || !isFailure(reply) || reply.kind !== 'blocked') run = { server, reply, tried }
    if (!isFailure(reply) || reply.phase === 'setup' || context.signal.aborted) break
  }
  return run
}

const noResolver: Failure = {
  kind: 'internal',
  message: 'This agent has no name server to query.',
  phase: 'setup',
  code: 'NO_RESOLVER',
}

async function serversFor(
  { nameServer, port }: DnsSettings,
  resolvers: readonly string[],
  { signal, network, lookup }: DialContext,
): Promise<(DnsServer & { name?: string })[] | Failure> {
  if (!nameServer)
    return resolvers.map((text) => splitServer(text)).map(({ host, port = 53 }) => ({ address: host, port }))
  const named = splitServer(nameServer)
  const ownPort = port ?? named.port ?? 53
  if (isIP(named.host)) return [{ address: named.host, port: ownPort }]
  const v4 = await resolveHost(named.host, 'IPv4', signal, lookup)
  const addresses = isFailure(v4) ? await resolveHost(named.host, 'IPv6', signal, lookup) : v4
  if (isFailure(addresses)) return isFailure(v4) ? v4 : addresses
  const address = addresses.find((ip) => network.refusalOf(ip) === null) ?? addresses[0] ?? ''
  return [{ name: named.host, address, port: ownPort }]
}

/** Names with other letters than ASCII are sent in their xn-- form. ASCII names stay as they are, since they may have underscores. */
function asciiName(query: string): string {
  const name = query.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name
}

function observationOf(settings: DnsSettings, { server, reply, tried }: DnsRun) {
  const failure = isFailure(reply) ? reply : null
  const response = isFailure(reply) ? null : responseOf(reply)
  const { query, recordType, nameServer, port, protocol } = settings
  return {
    responseTimeMs: response?.responseTime ?? null,
    failure,
    detail: {
      request: { query, recordType, nameServer, port, protocol },
      nameServerInfo: server && {
        ...(server.name && { name: server.name }),
        host: server.address,
        port: server.port,
      },
      response,
      requestError: failure?.message ?? null,
      tried,
    },
    subjects: response ? subjectsOf(response) : {},
  }
}

function responseOf({ packet, protocol, responseTimeMs }: DnsReply) {
  return {
    returnCode: returnCodeOf(packet),
    answer: replyToJson(packet),
    text: replyToText(packet),
    /** TCP although UDP is set: the reply was too long for a datagram. */
    protocol,
    responseTime: roundMs(responseTimeMs),
  }
}

function subjectsOf(response: ReturnType<typeof responseOf>): Record<string, Subject> {
  return {
    RESPONSE_TIME: { kind: 'number', value: response.responseTime },
    RESPONSE_CODE: { kind: 'text', value: response.returnCode },
    TEXT_ANSWER: { kind: 'text', value: response.text },
    JSON_ANSWER: { kind: 'json', value: response.answer },
  }
}
