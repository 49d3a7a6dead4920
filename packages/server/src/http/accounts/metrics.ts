import { timingSafeEqual } from 'node:crypto'
import {
  ApiError,
  createPrometheusToken,
  deletePrometheusToken,
  getAccountMetrics,
  getServerMetrics,
  listPrometheusTokens,
} from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import { readAccountMetrics } from '../../prometheus/read-account-metrics.ts'
import { serverMetrics } from '../../prometheus/read-server-metrics.ts'
import { hashKey } from '../../storage/accounts/api-keys.ts'
import {
  deleteMetricsToken,
  insertMetricsToken,
  listMetricsTokens,
} from '../../storage/accounts/metrics-tokens.ts'
import { authorizeAccount } from '../transport/account-context.ts'
import type { Call } from '../transport/call.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeAccessKey, serializeIssuedKey } from './access-keys.ts'

export function metricsRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  const server = serverMetrics(deps.store.pool)
  const readCached = cacheFor(cachedForMs, deps)
  return [
    handle(getServerMetrics, async ({ request }) => {
      if (!mayReadServer(request, deps.config.METRICS_TOKEN)) {
        throw new ApiError('unauthorized', {
          message: "Send METRICS_TOKEN as bearer token to read the server's metrics.",
          headers: { 'www-authenticate': 'Bearer' },
        })
      }
      return server.read(deps.clock.now())
    }),
    handle(getAccountMetrics, async ({ principal, params, query }) => {
      const { id } = authorizeAccount(principal, params.accountId)
      return readCached(`${id} ${JSON.stringify(query)}`, (now) =>
        readAccountMetrics(deps.store, id, query, now),
      )
    }),
    handle(listPrometheusTokens, async ({ account }) => {
      return (await listMetricsTokens(db, account.id)).map((row) => serializeAccessKey(row, null))
    }),
    handle(createPrometheusToken, async ({ account }) => {
      const { key, row } = await insertMetricsToken(db, account.id)
      return serializeIssuedKey(row, key)
    }),
    handle(deletePrometheusToken, async ({ account, params }) => {
      if (!(await deleteMetricsToken(db, account.id, params.id))) throw new ApiError('not_found')
    }),
  ]
}

const forwarding = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** Without a token only from this machine, and not through a proxy on it: that forwards requests from anywhere. */
function mayReadServer(
  { headers, ip }: Call<typeof getServerMetrics>['request'],
  token: string | undefined,
): boolean {
  if (token === undefined) {
    return isLoopback(ip) && forwarding.every((name) => headers[name] === undefined)
  }
  const sent = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]
  return sent !== undefined && timingSafeEqual(hashKey(sent), hashKey(token))
}

function isLoopback(ip: string): boolean {
  return ip === '::1' || /^(::ffff:)?127\./.test(ip)
}

const cachedForMs = 60_000
const maxCached = 200

/** Concurrent requests share one read. */
function cacheFor(ms: number, { clock }: Deps) {
  const known = new LRUCache<string, { text: Promise<string>; until: number }>({ max: maxCached })
  return async (key: string, read: (now: number) => Promise<string>): Promise<string> => {
    const now = clock.now()
    const cached = known.get(key)
    if (cached !== undefined && cached.until > now) return cached.text
    const entry = { text: read(now), until: now + ms }
    known.set(key, entry)
    entry.text.catch(() => known.get(key) === entry && known.delete(key))
    return entry.text
  }
}
