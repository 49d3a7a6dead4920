// Limits requests per key, or per address where no key is needed, across all server processes on one database: each process
// leases requests in blocks, so that a request needs no write.
import { ApiError, type RateLimit } from '@vedette/contracts'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { type Lease, leaseRequests } from '../../storage/accounts/rate-windows.ts'
import { isStoreUnavailable, type Pool } from '../../storage/core/db.ts'

export interface Verdict {
  allowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

interface Local {
  windowStart: number
  tokens: number
  left: number
  isExhausted: boolean
  leasing: Promise<void> | null
}

const maxBuckets = 50_000
/** How long requests wait for the store. */
const patienceMs = 1_000

export class RateLimiter {
  private readonly locals = new Map<string, Local>()
  private readonly pool: Pool
  private readonly clock: Clock

  constructor(pool: Pool, clock: Clock) {
    this.pool = pool
    this.clock = clock
  }

  /** Synchronous while this process holds leased requests of the bucket. */
  take(bucket: string, rule: RateLimit): Verdict | Promise<Verdict> {
    const nowSeconds = this.clock.now() / 1000
    const windowStart = Math.floor(nowSeconds / rule.seconds) * rule.seconds
    const local = this.localOf(bucket, windowStart, rule)
    const resetSeconds = Math.max(1, Math.ceil(windowStart + rule.seconds - nowSeconds))
    if (local.tokens > 0) {
      local.tokens -= 1
      return { allowed: true, limit: rule.limit, remaining: local.tokens + local.left, resetSeconds }
    }
    if (local.isExhausted) return { allowed: false, limit: rule.limit, remaining: 0, resetSeconds }
    local.leasing ??= this.lease(bucket, local, rule).finally(() => {
      local.leasing = null
    })
    return local.leasing.then(() => this.take(bucket, rule))
  }

  private localOf(bucket: string, windowStart: number, rule: RateLimit): Local {
    const known = this.locals.get(bucket)
    if (known !== undefined && known.windowStart >= windowStart) return known
    if (this.locals.size >= maxBuckets) this.forgetOld(windowStart)
    const local = { windowStart, tokens: 0, left: rule.limit, isExhausted: false, leasing: null }
    this.locals.set(bucket, local)
    return local
  }

  /**
   * Blocks shrink as the window fills, so that an idle process holds few leased requests. The first block is small: how many
   * are left isn't known yet, and a server that restarts repeatedly must not use up the window.
   */
  private async lease(bucket: string, local: Local, rule: RateLimit): Promise<void> {
    const isUnknown = local.left === rule.limit
    const block = Math.max(1, Math.floor(local.left / (isUnknown ? 64 : 8)))
    const { granted, left } = await this.leaseFromStore(bucket, local, rule, block)
    local.tokens += granted
    local.left = left
    local.isExhausted = granted === 0
  }

  /** While the store is slow or down, each process counts alone: pages are served without it. */
  private async leaseFromStore(
    bucket: string,
    { windowStart, left }: Local,
    { limit }: RateLimit,
    block: number,
  ): Promise<Lease> {
    const alone = { granted: left, left: 0 }
    const timeout = Promise.withResolvers<Lease>()
    const timer = setTimeout(timeout.resolve, patienceMs, alone)
    const leased = leaseRequests(this.pool, { bucket, windowStart, limit, block }).catch((error: unknown) => {
      if (isStoreUnavailable(error)) return alone
      throw error
    })
    try {
      return await Promise.race([leased, timeout.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  private forgetOld(windowStart: number): void {
    for (const [bucket, local] of this.locals) if (local.windowStart < windowStart) this.locals.delete(bucket)
    if (this.locals.size >= maxBuckets) this.locals.clear()
  }
}

export interface CountedRequest {
  bucket: string
  rule: RateLimit
  /** What is limited, in words: "this API key". */
  of: string
}

export async function enforce(
  limiter: Pick<RateLimiter, 'take'>,
  reply: FastifyReply,
  { bucket, rule, of }: CountedRequest,
): Promise<void> {
  const result = limiter.take(bucket, rule)
  const verdict = result instanceof Promise ? await result : result
  reply.header('ratelimit-limit', verdict.limit)
  reply.header('ratelimit-remaining', verdict.remaining)
  reply.header('ratelimit-reset', verdict.resetSeconds)
  if (!verdict.allowed) throw rateLimited(rule, verdict.resetSeconds, of)
}

/** Names the limit and when to retry. */
export function rateLimited({ limit, seconds }: RateLimit, resetSeconds: number, of: string): ApiError {
  const count = limit === 1 ? '1 request' : `${limit} requests`
  return new ApiError('rate_limited', {
    message: `Too many requests: the limit of ${of} is ${count} per ${seconds} seconds. Try again in ${resetSeconds} s.`,
    attributes: { limit, windowSeconds: seconds, retryAfterSeconds: resetSeconds, limitOf: of },
    headers: {
      'retry-after': String(resetSeconds),
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(resetSeconds),
    },
  })
}
