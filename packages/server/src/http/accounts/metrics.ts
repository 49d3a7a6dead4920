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
import type { Deps } from '../transport/deps.ts'
import { type Call, handle, type Mounted } from '../transport/mount.ts'
import { serializeAccessKey, serializeIssuedKey } from './access-keys.ts'

export function metricsRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  const ofServer = serverMetrics(deps.store.pool)
  const ofAccounts = rememberFor(cachedForMs, deps)
  return [
    handle(getServerMetrics, async ({ request }) => {
      if (!mayReadServer(request, deps.config.METRICS_TOKEN)) {
        throw new ApiError('unauthorized', {
          message: "The server's metrics need METRICS_TOKEN as bearer token.",
          headers: { 'www-authenticate': 'Bearer' },
        })
      }
      return ofServer.read(deps.clock.now())
    }),
    handle(getAccountMetrics, async ({ principal, params, query }) => {
      const { id } = authorizeAccount(principal, params.accountId)
      return ofAccounts(`${id} ${JSON.stringify(query)}`, (now) =>
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

/** Without a token only the machine itself, and not through a proxy on it, which speaks for the whole world. */
function mayReadServer(
  { headers, ip }: Call<typeof getServerMetrics>['request'],
  token: string | undefined,
): boolean {
  if (token === undefined) {
    return isLoopback(ip) && forwarding.every((name) => headers[name] === undefined)
  }
  const shown = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]
  return shown !== undefined && timingSafeEqual(hashKey(shown), hashKey(token))
}

function isLoopback(ip: string): boolean {
  return ip === '::1' || /^(::ffff:)?127\./.test(ip)
}

const cachedForMs = 60_000
const maxCached = 200

/** Several readers at once wait for one reading. */
function rememberFor(ms: number, { clock }: Deps) {
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
