import { ApiError, type RateLimit } from '@vedette/contracts'
import type { PagesDeps } from './deps.ts'

/** Throws when a bucket had too many requests. `reason` says of what there were too many. */
export async function limit(deps: PagesDeps, bucket: string, rule: RateLimit, reason: string): Promise<void> {
  const { allowed, resetSeconds } = await deps.limiter.take(bucket, scaled(deps, rule))
  if (allowed) return
  throw new ApiError('rate_limited', {
    message: `${reason} Try again in ${resetSeconds} s.`,
    headers: { 'retry-after': String(resetSeconds) },
  })
}

/** Whether a bucket allows another request, which counts then. */
export async function isWithin(deps: PagesDeps, bucket: string, rule: RateLimit): Promise<boolean> {
  return (await deps.limiter.take(bucket, scaled(deps, rule))).allowed
}

function scaled({ rateLimitFactor }: PagesDeps, rule: RateLimit): RateLimit {
  return { ...rule, limit: Math.max(1, Math.floor(rule.limit * rateLimitFactor)) }
}
