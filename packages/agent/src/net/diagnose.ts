// Evidence after a network failure, gathered while it is fresh. In: what was tried and what became of it; out: what
// resolvers say, the addresses, whether IPv4 would have worked, the way there, and the packets of one more attempt.
// It never throws, takes some seconds at most, and contacts no target that the agent's rules refuse.
import { isIP, isIPv6 } from 'node:net'
import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { captureAttempt } from './capture-attempt.ts'
import { deadline } from './deadline.ts'
import { dial, type Tried } from './dial.ts'
import { addressOf } from './failure.ts'
import { type ResolverAnswer, resolverAnswers } from './resolver-answers.ts'
import { splitServer } from './split-server.ts'
import { roundMs } from './timings.ts'
import { type TraceOptions, traceRoute } from './trace-route.ts'

export interface DiagnoseInput {
  checkType: string
  host: string
  /** Null: the check has none, as pings. */
  port: number | null
  failure: Failure
  /** `tried` of the check's detail, as it came. */
  tried: unknown
}

/** `signal`: not the run's own where that ran out of time, for it would stop the search for the reason. */
export interface DiagnoseContext {
  network: NetworkPolicy
  signal: AbortSignal
  monotonic(): number
}

export interface DiagnoseOptions {
  limitMs?: number
  /** In place of the system's. */
  servers?: readonly string[]
  trace?: TraceOptions
}

const limitMs = 5_000

// When everything fails at once, evidence of a few says enough, and gathering it must not hold up the others.
const maxAtOnce = 8
let running = 0

export async function diagnose(
  input: DiagnoseInput,
  context: DiagnoseContext,
  options: DiagnoseOptions = {},
): Promise<Record<string, unknown>> {
  const begun = context.monotonic()
  const limit = deadline(context.signal, options.limitMs ?? limitMs)
  running += 1
  try {
    const found = await gather(input, { ...context, signal: limit.signal }, options, running > maxAtOnce)
    return { ...found, durationMs: roundMs(context.monotonic() - begun) }
  } catch (error) {
    return { error: messageOf(error), durationMs: roundMs(context.monotonic() - begun) }
  } finally {
    running -= 1
    limit.clear()
  }
}

async function gather(
  input: DiagnoseInput,
  context: DiagnoseContext,
  options: DiagnoseOptions,
  isBusy: boolean,
): Promise<Record<string, unknown>> {
  const tried = triedOf(input.tried)
  const asked = resolverAnswers(input.host, context, options.servers)
  const known = targetOf(input, tried)
  const target = known ?? targetIn(await asked, input)
  const refused = target && context.network.refusalOf(target.address)
  const isOpen = target !== null && refused === null
  const reason = reasonFor(target, refused, isBusy)
  const [resolvers, ipv4Fallback, route, capture] = await Promise.all([
    asked,
    asked.then((answers) => fallback(input, tried, answers, context)),
    isOpen && !isBusy ? routeTo(target, context, options.trace) : { tracerouteError: reason },
    isOpen && !isBusy ? captureAttempt(target, context) : { captureError: reason },
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

function reasonFor(target: Target | null, refused: string | null, isBusy: boolean): string {
  if (target === null) return "the target's address isn't known"
  if (refused !== null) return `${target.address} is ${refused}, and this agent doesn't connect to it.`
  return isBusy ? 'several others are being diagnosed at this time' : 'time is up'
}

/** The address that failed: behind a proxy that is the proxy's, and its port. */
function targetOf({ failure, port }: DiagnoseInput, tried: readonly Tried[]): Target | null {
  const texts = [failure.address, ...tried.map(({ address }) => address).reverse()]
  for (const text of texts) {
    const { host, port: named = null } = splitServer(text ?? '')
    if (isIP(host) !== 0) return { address: host, port: port === null ? null : (named ?? port) }
  }
  return null
}

function targetIn(answers: readonly ResolverAnswer[], { host, port }: DiagnoseInput): Target | null {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const address = isIP(bare) !== 0 ? bare : answers.flatMap(({ addresses }) => addresses)[0]
  return address === undefined ? null : { address, port }
}

/** When IPv6 was what failed: would IPv4 have done? Only a connection is made. */
async function fallback(
  { host, port }: DiagnoseInput,
  tried: readonly Tried[],
  answers: readonly ResolverAnswer[],
  context: DiagnoseContext,
): Promise<{ works: boolean; tried: Tried[] } | null> {
  const isSix = tried.length === 0 || tried.some(({ address }) => isIPv6(splitServer(address).host))
  const isAddress = isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
  const known = new Set(tried.map(({ address }) => splitServer(address).host))
  const found = new Set(answers.flatMap(({ type, addresses }) => (type === 'A' ? addresses : [])))
  const left = [...found].filter((address) => !known.has(address)).slice(0, 3)
  if (!isSix || isAddress || port === null) return null
  // A name of the hosts file is none of the resolvers': it has the addresses that a run would have.
  if (answers.length === 0) return fallbackByName({ host, port }, context)
  if (left.length === 0) return null
  const attempts: Tried[] = []
  for (const address of left) {
    const dialled = await dial({ host: address, port, ipFamily: 'IPv4' }, context)
    dialled.socket?.destroy()
    attempts.push({ address: addressOf(address, port), failure: dialled.failure })
    if (dialled.failure === null) break
  }
  return { works: attempts.some(({ failure }) => failure === null), tried: attempts }
}

async function fallbackByName(target: { host: string; port: number }, context: DiagnoseContext) {
  const dialled = await dial({ ...target, ipFamily: 'IPv4' }, context)
  dialled.socket?.destroy()
  return dialled.tried.length === 0 ? null : { works: dialled.failure === null, tried: dialled.tried }
}

/** Pings have no port: web servers' is as good as any, since routers do not look at it. */
const portWithoutOne = 80

async function routeTo({ address, port }: Target, context: DiagnoseContext, options?: TraceOptions) {
  try {
    return { traceroute: await traceRoute({ address, port: port ?? portWithoutOne }, context, options) }
  } catch (error) {
    return { tracerouteError: `no TCP traceroute here: ${messageOf(error)}` }
  }
}

function addressesOf(tried: readonly Tried[], answers: readonly ResolverAnswer[], network: NetworkPolicy) {
  const known = new Set(tried.map(({ address }) => splitServer(address).host))
  const others = new Set(
    answers.flatMap(({ addresses }) => addresses).filter((address) => !known.has(address)),
  )
  return [
    ...tried.map(({ address, failure }) => ({ address, tried: true, failure })),
    ...[...others].map((address) => ({ address, tried: false, refused: network.refusalOf(address) })),
  ]
}

function triedOf(tried: unknown): Tried[] {
  if (!Array.isArray(tried)) return []
  return tried.flatMap((entry: Partial<Tried> | null) =>
    typeof entry?.address === 'string' ? [{ address: entry.address, failure: entry.failure ?? null }] : [],
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
