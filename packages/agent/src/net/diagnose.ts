// Gathers evidence right after a network failure: the replies of resolvers, the addresses, whether IPv4 would have
// worked, the route, and the packets of one more attempt. It never throws, ends soon after its signal, and contacts no target
// that the address policy refuses.
import { getServers } from 'node:dns'
import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { captureAttempt } from './capture-attempt.ts'
import { type Attempt, type DialContext, dial } from './dial.ts'
import { queryDns } from './dns-query.ts'
import { replyToJson, returnCodeOf } from './dns-reply.ts'
import { isFailure } from './failure.ts'
import { isLocalhost } from './own-lookup.ts'
import { splitServer, stripBrackets } from './split-server.ts'
import { roundMs } from './timings.ts'
import { traceRoute } from './trace-route.ts'

export interface DiagnoseInput {
  checkType: string
  host: string
  /** Null: the check type has no port. */
  port: number | null
  failure: Failure
  /** `tried` of the check's detail. */
  tried: unknown
}

/** `signal`: limits the time, but isn't that of a run that timed out, since it would abort the diagnosis. */
export type DiagnoseContext = Pick<DialContext, 'network' | 'signal' | 'monotonic'>

/** `servers`: the name servers. */
export async function diagnose(
  input: DiagnoseInput,
  context: DiagnoseContext,
  { servers = getServers() }: { servers?: readonly string[] } = {},
): Promise<Record<string, unknown>> {
  const begun = context.monotonic()
  const evidence = await gather(input, context, servers).catch((error) => ({ error: errorMessage(error) }))
  return { ...evidence, durationMs: roundMs(context.monotonic() - begun) }
}

async function gather(input: DiagnoseInput, context: DiagnoseContext, servers: readonly string[]) {
  const tried = triedOf(input.tried)
  const replies = queryResolvers(input.host, context, servers)
  const known = targetOf(input, tried)
  const target = known ?? targetIn(await replies, input)
  const refused = target && context.network.refusalOf(target.address)
  const isOpen = target !== null && refused === null
  const reason = reasonFor(target, refused)
  const [resolvers, ipv4Fallback, route, capture] = await Promise.all([
    replies,
    replies.then((resolved) => fallback(input, tried, resolved, context)),
    isOpen ? routeTo(target, context) : { tracerouteError: reason },
    isOpen ? captureAttempt(target, context) : { captureError: reason },
  ])
  return {
    target: { host: input.host, port: input.port, address: target?.address ?? null },
    resolvers,
    addresses: addressesOf(tried, resolvers, context.network),
    ipv4Fallback,
    ...route,
    ...capture,
  }
}

interface Target {
  address: string
  port: number | null
}

function reasonFor(target: Target | null, refused: string | null): string {
  if (target === null) return "the target's address isn't known"
  return `${target.address} is ${refused}, and this agent doesn't connect to it.`
}

/** The address that failed; with a proxy, the address and port of the proxy. */
function targetOf({ failure, port }: DiagnoseInput, tried: readonly Attempt[]): Target | null {
  const texts = [failure.address, ...tried.map(({ address }) => address).reverse()]
  for (const text of texts) {
    const { host, port: named = null } = splitServer(text ?? '')
    if (isIP(host) !== 0) return { address: host, port: port === null ? null : (named ?? port) }
  }
  return null
}

function targetIn(replies: readonly ResolverReply[], { host, port }: DiagnoseInput): Target | null {
  const hostname = stripBrackets(host)
  const address = isIP(hostname) !== 0 ? hostname : replies.flatMap(({ addresses }) => addresses)[0]
  return address === undefined ? null : { address, port }
}

/** After a failure over IPv6: whether a connection over IPv4 works. */
async function fallback(
  { host, port }: DiagnoseInput,
  tried: readonly Attempt[],
  replies: readonly ResolverReply[],
  context: DiagnoseContext,
): Promise<{ works: boolean; tried: Attempt[] } | null> {
  const isSix = tried.length === 0 || tried.some(({ address }) => isIPv6(splitServer(address).host))
  if (!isSix || isIP(stripBrackets(host)) !== 0 || port === null) return null
  const known = new Set(tried.map(({ address }) => splitServer(address).host))
  const resolved = replies.flatMap(({ type, addresses }) => (type === 'A' ? addresses : []))
  const left = resolved.filter((address) => !known.has(address))
  // Resolvers don't know the names in the hosts file: those are resolved as a run does.
  const names = replies.length > 0 && { lookup: async () => [...new Set(left)].slice(0, 3) }
  const dialed = await dial({ host, port, ipFamily: 'IPv4' }, { ...context, ...names })
  dialed.socket?.destroy()
  return dialed.tried.length === 0 ? null : { works: dialed.failure === null, tried: dialed.tried }
}

/** For pings. Any port will do, since routers ignore it. */
const defaultPort = 80

async function routeTo({ address, port }: Target, context: DiagnoseContext) {
  try {
    return { traceroute: await traceRoute({ address, port: port ?? defaultPort }, context) }
  } catch (error) {
    return { tracerouteError: `TCP traceroute isn't available: ${errorMessage(error)}` }
  }
}

function addressesOf(tried: readonly Attempt[], replies: readonly ResolverReply[], network: NetworkPolicy) {
  const known = new Set(tried.map(({ address }) => splitServer(address).host))
  const others = new Set(
    replies.flatMap(({ addresses }) => addresses).filter((address) => !known.has(address)),
  )
  return [
    ...tried.map(({ address, failure }) => ({ address, tried: true, failure })),
    ...[...others].map((address) => ({ address, tried: false, refused: network.refusalOf(address) })),
  ]
}

function triedOf(tried: unknown): Attempt[] {
  if (!Array.isArray(tried)) return []
  return tried.flatMap((entry: Partial<Attempt> | null) =>
    typeof entry?.address === 'string' ? [{ address: entry.address, failure: entry.failure ?? null }] : [],
  )
}

type ResolverReply = Awaited<ReturnType<typeof queryResolvers>>[number]

const maxServers = 3
const types = ['A', 'AAAA'] as const
/** The address policy is about targets; the operator chooses the name servers. */
const anyAddress = { refusalOf: () => null }

/** Queries each name server of this machine for a name. For evidence, not for lookups. */
async function queryResolvers(host: string, context: DiagnoseContext, servers: readonly string[]) {
  const name = domainToASCII(host.replace(/\.$/, '')) || host
  if (isIP(stripBrackets(host)) !== 0 || isLocalhost(name)) return []
  const queries = servers.slice(0, maxServers).flatMap((server) => types.map((type) => ({ server, type })))
  return Promise.all(
    queries.map(async ({ server, type }) => {
      const { host: address, port = 53 } = splitServer(server)
      const begun = context.monotonic()
      const reply = await queryDns(
        { question: { name, type }, server: { address, port }, protocol: 'UDP', timeoutMs: 1_500 },
        { ...context, network: anyAddress },
      )
      const durationMs = roundMs(context.monotonic() - begun)
      const records = isFailure(reply) ? [] : replyToJson(reply.packet).Answer
      const dataOf = (wanted: string) =>
        records.filter((record) => record.type === wanted).map(({ data }) => data)
      return {
        server,
        type,
        /** NOERROR, NXDOMAIN, SERVFAIL, …; without a reply the code of the failure: TIMEOUT, ECONNREFUSED. */
        code: isFailure(reply) ? (reply.code ?? reply.kind) : returnCodeOf(reply.packet),
        addresses: dataOf(type),
        /** The targets of CNAME records. */
        aliases: dataOf('CNAME'),
        durationMs,
      }
    }),
  )
}
