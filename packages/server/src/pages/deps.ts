import type { IncomingHttpHeaders } from 'node:http'
import type { RateLimit } from '@vedette/contracts'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import type { Sign } from '../links/subscription-link.ts'
import type { Store } from '../storage/core/db.ts'
import type { WebApp } from './web-app.ts'

interface LimitVerdict {
  allowed: boolean
  resetSeconds: number
}

/** Dependencies of the pages. */
export interface PagesDeps {
  store: Store
  clock: Clock
  vault: { sign: Sign }
  publicUrl: string
  /** Of files of runs and the trace viewer; another host than `publicUrl` if the operator has set one. */
  assetsUrl: string
  webApp: WebApp
  /** Whether the cookie of a request belongs to a member of the account. */
  isMember(headers: IncomingHttpHeaders, accountId: string): Promise<boolean>
  /** Counts requests across all servers. */
  limiter: { take(bucket: string, rule: RateLimit): LimitVerdict | Promise<LimitVerdict> }
  /** For how many days results are kept. */
  resultRetentionDays: number
  /** Multiplies the limits of forms. */
  rateLimitFactor: number
}

/** The path of PUBLIC_URL. Forms use paths, so that they stay on the host that the visitor opened. */
export function basePath({ publicUrl }: PagesDeps): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

/** Where the addresses of a page begin. On a host of its own, that is the root. */
export function pageBase(
  request: FastifyRequest,
  deps: PagesDeps,
  path: string,
): { base: string; url: string } {
  // The path was rewritten, because the host belongs to the page.
  if (request.originalUrl !== request.url) return { base: '', url: `${request.protocol}://${request.host}` }
  const base = `${basePath(deps)}${path}`
  return { base, url: `${new URL(deps.publicUrl).origin}${base}` }
}
