import {
  ApiError,
  createPrivateLocation,
  createPrivateLocationKey,
  dayMs,
  deletePrivateLocation,
  deletePrivateLocationKey,
  getPrivateLocation,
  getPrivateLocationMetrics,
  invalidInput,
  listPrivateLocations,
  metricsReachBackDays,
  minuteMs,
  type PrivateLocation,
  roleAllows,
  updatePrivateLocation,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import {
  createPrivateLocationWithKey,
  issuePrivateLocationKey,
  removePrivateLocation,
  sealProxyUrl,
} from '../../runs/private-locations.ts'
import type { NewKey } from '../../storage/accounts/api-keys.ts'
import { transact } from '../../storage/core/db.ts'
import { isSealed } from '../../storage/core/vault.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import { listLocationAgents } from '../../storage/runs/agents.ts'
import { listQueueSamples } from '../../storage/runs/private-location-metrics.ts'
import * as locations from '../../storage/runs/private-locations.ts'
import { type AccessKeyRow, serializeAccessKey, serializeIssuedKey } from '../accounts/access-keys.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeAgents } from './serialize-agents.ts'

type Location = z.output<typeof PrivateLocation>

export function privateLocationRoutes(deps: Deps): Mounted[] {
  const { vault, clock } = deps
  const { db, pool } = deps.store
  const keysOf = (accountId: string, rows: locations.PrivateLocationRow[]) =>
    locations.listPrivateLocationKeys(
      db,
      accountId,
      rows.map(({ id }) => id),
    )
  const agentsOf = async (accountId: string, rows: locations.PrivateLocationRow[]) => {
    const ids = rows.map(({ id }) => id)
    const agents = Map.groupBy(
      await listLocationAgents(pool, accountId, ids),
      (agent) => agent.privateLocationId,
    )
    return (id: string) => serializeAgents(agents.get(id) ?? [], clock.now())
  }
  const whole = async (account: AccountContext, row: locations.PrivateLocationRow): Promise<Location> => {
    const agents = await agentsOf(account.id, [row])
    const location = { ...serialize(deps, account, row, await keysOf(account.id, [row])), ...agents(row.id) }
    return withProjectFieldsOfOne(db, account.id, 'private-location', location)
  }
  return [
    handle(listPrivateLocations, async ({ account, query }) => {
      const rows = await locations.listPrivateLocations(db, account.id)
      const keys = Map.groupBy(await keysOf(account.id, rows), (key) => key.private_location_id)
      const agents = await agentsOf(account.id, rows)
      const serialized = rows.map((row) => {
        const { minAgentVersion, runningAgents, ...seen } = agents(row.id)
        const location = { ...serialize(deps, account, row, keys.get(row.id) ?? []), ...seen }
        return query.versions ? { ...location, minAgentVersion, runningAgents } : location
      })
      return withProjectFields(db, account.id, 'private-location', serialized)
    }),
    handle(getPrivateLocation, async ({ account, params }) => {
      const row = orNotFound(await locations.findPrivateLocation(db, account.id, params.id))
      return whole(account, row)
    }),
    handle(getPrivateLocationMetrics, async ({ account, params, query }) => {
      orNotFound(await locations.findPrivateLocation(db, account.id, params.id))
      const span = spanOf(query, clock.now())
      const samples = await listQueueSamples(pool, account.id, params.id, span)
      return {
        timestamps: samples.map(({ measuredAt }) => measuredAt),
        queueSize: samples.map(({ queueSize }) => queueSize),
        oldestScheduledCheckRun: samples.map(({ oldestMs }) => oldestMs / 1000),
      }
    }),
    handle(createPrivateLocation, async ({ account, body }) => {
      const context = { accountId: account.id, vault }
      const { row, first } = await transact(db, (tx) => createPrivateLocationWithKey(tx, context, body))
      return {
        ...serialize(deps, account, row, [first.row], first.key),
        ...serializeAgents([], clock.now()),
      }
    }),
    handle(updatePrivateLocation, async ({ account, params, body }) => {
      const row = orNotFound(
        await locations.updatePrivateLocation(db, account.id, params.id, {
          name: body.name,
          icon: body.icon,
          proxy_url: body.proxyUrl && sealProxyUrl(vault, account.id, body.proxyUrl),
          updated_at: new Date(clock.now()),
        }),
      )
      return whole(account, row)
    }),
    handle(deletePrivateLocation, ({ account, params }) =>
      transact(db, (tx) => removePrivateLocation(tx, account.id, params.id)),
    ),
    handle(createPrivateLocationKey, async ({ account, params }) => {
      const { key, row } = await transact(db, (tx) => issuePrivateLocationKey(tx, account.id, params.id))
      return serializeIssuedKey(row, key)
    }),
    handle(deletePrivateLocationKey, async ({ account, params }) => {
      const isGone = await locations.deletePrivateLocationKey(db, account.id, params.id, params.keyId)
      if (!isGone) throw new ApiError('not_found')
    }),
  ]
}

/** From UNIX seconds as the query has them. */
function spanOf(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  now: number,
): { from: number; to: number } {
  const end = to === undefined ? now : to * 1000
  const start = from === undefined ? end - dayMs : from * 1000
  if (end <= start) throw invalidInput([{ path: ['to'], message: 'must be after from' }])
  // A minute of tolerance: a client that asks for exactly that many days computed `from` a moment ago.
  if (start < now - metricsReachBackDays * dayMs - minuteMs) {
    throw invalidInput([{ path: ['from'], message: `must be at most ${metricsReachBackDays} days ago` }])
  }
  return { from: start, to: end }
}

function serialize(
  { vault }: Deps,
  account: AccountContext,
  row: locations.PrivateLocationRow,
  keys: AccessKeyRow[],
  issued: NewKey | null = null,
): Omit<Location, 'lastSeen' | 'agentCount'> {
  const proxyUrl = isSealed(row.proxy_url) ? vault.unseal(account.id, row.proxy_url) : null
  return {
    id: row.id,
    name: row.name,
    slugName: row.slug_name,
    icon: row.icon,
    created_at: row.created_at,
    updated_at: row.updated_at,
    keys: keys.map((key) => serializeAccessKey(key, issued)),
    proxyUrl:
      proxyUrl !== null && !roleAllows(account.role, 'READ_WRITE') ? withoutCredentials(proxyUrl) : proxyUrl,
  }
}

/** Greedy: a password may hold an @ itself. */
function withoutCredentials(proxyUrl: string): string {
  return proxyUrl.replace(/^(https?:\/\/)[^/?#]*@/i, '$1***:***@')
}
