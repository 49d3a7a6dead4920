// Identifies the caller and the account, and checks limits and the role. Runs before the body is read.
import {
  type AnyRoute,
  ApiError,
  appHeader,
  confirmationMs,
  type RateLimit,
  sendsWholeObjects,
} from '@vedette/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressBucket } from '../../core/address-bucket.ts'
import { hashKey, type Principal } from '../../storage/accounts/api-keys.ts'
import { findMetricsPrincipal } from '../../storage/accounts/metrics-tokens.ts'
import { authorizeAccount } from './account-context.ts'
import { AgentKeyCache } from './agent-caller.ts'
import type { Deps } from './deps.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { type CountedRequest, enforce, RateLimiter } from './rate-limit.ts'
import { RateQueue } from './rate-queue.ts'
import { readSignInCookie, refuseOtherSite, requireFromApp } from './sign-in-cookie.ts'

/** A stream checks every two seconds at least, so that it ends within five seconds. */
const recheckMs = 2_000

export function authenticate(app: FastifyInstance, deps: Deps): void {
  const limiter = new RateLimiter(deps.store.pool, deps.clock)
  const queue = new RateQueue(limiter, deps.clock)
  const { config } = deps
  const perKey: RateLimit = { limit: config.RATE_LIMIT_PER_MINUTE, seconds: 60 }
  const perAddress: RateLimit = { limit: config.RATE_LIMIT_PUBLIC_PER_MINUTE, seconds: 60 }

  const agents = new AgentKeyCache(deps.store.pool, deps.clock, deps.builtInKeyHash)

  const findCaller = async (
    contract: AnyRoute,
    request: FastifyRequest,
    maxAgeMs?: number,
  ): Promise<Principal | null> => {
    const rawKey = bearerOf(request)
    if (rawKey === undefined) return findSignedIn(request, maxAgeMs)
    const principal = await deps.keys.find(rawKey, maxAgeMs)
    if (principal !== null || !contract.acceptsMetricsToken) return principal
    return findMetricsPrincipal(deps.store.pool, hashKey(rawKey))
  }

  const findSignedIn = async (request: FastifyRequest, maxAgeMs?: number): Promise<Principal | null> => {
    const principal = await deps.keys.findSignIn(readSignInCookie(config, request.headers), maxAgeMs)
    if (principal !== null) requireFromApp(config, request)
    return principal
  }

  const requireConfirmation = async (request: FastifyRequest, principal: Principal): Promise<void> => {
    const isConfirmed = ({ signIn }: Principal) =>
      signIn === undefined || deps.clock.now() - signIn.confirmedAt <= confirmationMs
    if (isConfirmed(principal)) return
    // Another server may have accepted the password a moment ago.
    const secret = readSignInCookie(config, request.headers)
    deps.keys.forgetSignIn(secret)
    const current = await deps.keys.findSignIn(secret)
    if (current !== null && isConfirmed(current)) return
    throw new ApiError('confirmation_required', { attributes: { code: 'confirmation_required' } })
  }

  app.decorateRequest('principal', null)
  app.decorateRequest('agent', null)
  app.decorateRequest('account', null)
  app.decorateRequest('isStillAllowed', async () => false)
  app.addHook('onRequest', async (request, reply) => {
    const { contract, isAppFile = false } = request.routeOptions.config
    if (isAppFile || contract?.isLimitedByHandler || contract?.isUnlimited) return
    // Unknown routes and public ones need no key, but are limited by address.
    if (contract === undefined || contract.access === 'public') {
      if (contract?.startsSignIn) refuseOtherSite(config, request)
      await enforce(limiter, reply, { bucket: addressBucket(request), rule: perAddress, of: 'this address' })
      if (contract?.knowsCaller) request.principal = await findCaller(contract, request)
      return
    }
    const refuse = async () => {
      await enforce(limiter, reply, { bucket: addressBucket(request), rule: perAddress, of: 'this address' })
      const headers = { 'www-authenticate': 'Bearer' }
      if (bearerOf(request) !== undefined) return new ApiError('unauthorized', { headers })
      const message = request.headers[appHeader] === undefined ? missingKey : notSignedIn
      return new ApiError('unauthorized', { message, headers })
    }
    if (contract.access === 'agent') {
      request.agent = await agents.find(bearerOf(request))
      // No limit: agents pace themselves, and a limit would only delay their results.
      if (request.agent === null) throw await refuse()
      return
    }
    const principal = await findCaller(contract, request)
    if (principal === null) throw await refuse()
    request.principal = principal
    // Unlike a response to a request with a key, shared caches could keep it.
    if (principal.signIn !== undefined) reply.header('cache-control', 'private, no-store')
    const own = isHosted(request, principal)
      ? ownLimit(contract, principal, config.RATE_LIMIT_FACTOR)
      : undefined
    const counted = own ?? keyLimit(contract, request, principal, perKey)
    if (sendsWholeObjects(request.headers)) {
      const signal = disconnectSignal(app, reply)
      await enforce({ take: (bucket, rule) => queue.take(bucket, rule, signal) }, reply, counted)
    } else await enforce(limiter, reply, counted)
    const { access } = contract
    if (access !== 'key') {
      const accountId = namedAccount(request) ?? onlyAccount(principal)
      const { id, role } = authorizeAccount(principal, accountId, access)
      request.account = { id, role }
      request.isStillAllowed = async () => {
        // Also after a change that still allows it: the app then reads the new role.
        return (await findCaller(contract, request, recheckMs))?.roles.get(id) === role
      }
    }
    if (contract.needsConfirmation) await requireConfirmation(request, principal)
  })
}

/** Limits of single routes protect a hosting operator from its customers; self-hosted accounts have the limit per key only. */
function isHosted(request: FastifyRequest, { hostedAccounts, roles }: Principal): boolean {
  const named = namedAccount(request)
  return named === undefined
    ? [...roles.keys()].some((id) => hostedAccounts.has(id))
    : hostedAccounts.has(named.toLowerCase())
}

const missingKey = 'No API key was sent: add the header Authorization: Bearer <key>.'
const notSignedIn = 'You are not signed in, or your sign-in has ended.'

function nameOf({ signIn }: Principal): string {
  return signIn === undefined ? 'this API key' : 'this sign-in'
}

/** What the command-line client reads for each run of a test session, all at its end. */
const readsOfRuns = /^\/next\/(assets\/|test-sessions\/.*\/links?$)/

/** Clients that wait for the next window need short ones: most of them give up after 15 seconds. */
const waitWindowSeconds = 10

/** The limit of a key. Requests that come in bursts have buckets of their own. */
function keyLimit(
  { path }: AnyRoute,
  { headers }: FastifyRequest,
  principal: Principal,
  perKey: RateLimit,
): CountedRequest {
  const bucket = `key:${principal.keyId}`
  const of = nameOf(principal)
  if (readsOfRuns.test(path))
    return { bucket: `${bucket}:runs`, rule: perKey, of: `${of} on links and files of runs` }
  if (!sendsWholeObjects(headers)) return { bucket, rule: perKey, of }
  const limit = Math.max(1, Math.floor((perKey.limit * waitWindowSeconds) / perKey.seconds))
  return { bucket: `${bucket}:whole`, rule: { limit, seconds: waitWindowSeconds }, of }
}

/** A route with its own limit has its own bucket. */
function ownLimit(contract: AnyRoute, principal: Principal, factor: number) {
  if (contract.rateLimit === undefined) return undefined
  const { limit, seconds } = contract.rateLimit
  return {
    bucket: `key:${principal.keyId}:${contract.method} ${contract.path}`,
    rule: { limit: Math.max(1, Math.floor(limit * factor)), seconds },
    of: `${nameOf(principal)} on ${contract.method} ${contract.path}`,
  }
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
}

function namedAccount({ headers }: FastifyRequest): string | undefined {
  // The alias is the header that existing clients send.
  const named = headers['x-service-account'] ?? headers['x-checkly-account']
  return named === undefined || named === '' ? undefined : String(named)
}

function onlyAccount(principal: Principal): string {
  const [first, ...others] = principal.roles.keys()
  if (first === undefined)
    throw new ApiError('not_found', { message: 'This key has no role in any account.' })
  if (others.length > 0) throw new ApiError('account_header_required')
  return first
}
