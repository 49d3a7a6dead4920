import {
  ApiError,
  dayMs,
  getHeartbeatAvailability,
  getHeartbeatEvent,
  type HeartbeatAvailability,
  type HeartbeatEvent,
  instantMsOf,
  invalidInput,
  listHeartbeatEvents,
  pingHeartbeat,
  pingLimit,
  postHeartbeatPing,
  type RateLimit,
} from '@vedette/contracts'
import type { z } from 'zod'
import { decisionContext } from '../../alerting/decision/decision-context.ts'
import { addressBucket } from '../../core/address-bucket.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { recordPing } from '../../ingest/heartbeat.ts'
import * as events from '../../storage/checks/heartbeat-events.ts'
import { findPingTarget } from '../../storage/checks/heartbeats.ts'
import type { Db } from '../../storage/core/db.ts'
import type { Call } from '../transport/call.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { RateLimiter, rateLimited } from '../transport/rate-limit.ts'
import { pingSource, pingUserAgent } from './ping-source.ts'

export function heartbeatRoutes(deps: Deps): Mounted[] {
  const { store, clock } = deps
  const { db } = store
  const limiter = new RateLimiter(store.pool, clock)
  const requireHeartbeat = async (accountId: string, checkId: string) => {
    if (!(await events.isHeartbeatCheck(db, accountId, checkId))) throw new ApiError('not_found')
  }
  return [
    handle(pingHeartbeat, (call) => ping(deps, limiter, call)),
    handle(postHeartbeatPing, (call) => ping(deps, limiter, call)),
    handle(getHeartbeatAvailability, async ({ account, params, query }) => {
      await requireHeartbeat(account.id, params.checkId)
      const to = query.endTime === undefined ? clock.now() : instantMsOf(query.endTime)
      const from = query.startTime === undefined ? to - dayMs : instantMsOf(query.startTime)
      refuseReversed(from, to)
      return availabilityOf(db, account.id, params.checkId, { from, to })
    }),
    handle(listHeartbeatEvents, async ({ account, params, query }) => {
      await requireHeartbeat(account.id, params.checkId)
      const period = {
        ...(query.startTime === undefined ? {} : { from: instantMsOf(query.startTime) }),
        ...(query.endTime === undefined ? {} : { to: instantMsOf(query.endTime) }),
      }
      refuseReversed(period.from, period.to)
      const [rows, stats] = await Promise.all([
        events.listHeartbeatEvents(db, account.id, params.checkId, { ...period, limit: query.limit }),
        statsOf(db, account.id, params.checkId, clock.now()),
      ])
      return [{ events: rows.map(serializeEvent), stats }]
    }),
    handle(getHeartbeatEvent, async ({ account, params }) => {
      await requireHeartbeat(account.id, params.checkId)
      const [row, stats] = await Promise.all([
        events.findHeartbeatEvent(db, account.id, params.checkId, params.id),
        statsOf(db, account.id, params.checkId, clock.now()),
      ])
      return { event: serializeEvent(orNotFound(row)), stats }
    }),
  ]
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

async function ping(
  { store, config, clock, stateLog }: Deps,
  limiter: RateLimiter,
  { params, request }: Call<typeof pingHeartbeat>,
): Promise<{ accepted: boolean; message: string }> {
  const target = uuid.test(params.token) ? await findPingTarget(store.pool, params.token) : null
  if (target === null) {
    // Limits guessing. By address: a bucket per token would fill the database.
    const perAddress = { limit: config.RATE_LIMIT_PUBLIC_PER_MINUTE, seconds: 60 }
    await spend(limiter, addressBucket(request), perAddress, 'this address')
    throw new ApiError('not_found')
  }
  const { limit, seconds } = pingLimit
  const rule = { limit: Math.max(1, Math.floor(limit * config.RATE_LIMIT_FACTOR)), seconds }
  await spend(limiter, `ping:${target.checkId}`, rule, 'this heartbeat')
  const from = { source: pingSource(request), userAgent: pingUserAgent(request) }
  const accepted = await recordPing(store.pool, target, from, decisionContext({ clock, config, stateLog }))
  // choice: pinging a deactivated monitor isn't an error of the job.
  return { accepted, message: accepted ? 'OK' : 'Ignored: this monitor is not active.' }
}

async function spend(limiter: RateLimiter, bucket: string, rule: RateLimit, of: string): Promise<void> {
  const { allowed, resetSeconds } = await limiter.take(bucket, rule)
  if (!allowed) throw rateLimited(rule, resetSeconds, of)
}

function refuseReversed(from: number | undefined, to: number | undefined): void {
  if (from === undefined || to === undefined || from < to) return
  throw invalidInput([{ path: ['startTime'], message: 'must be before endTime' }])
}

type Availability = z.output<typeof HeartbeatAvailability>

async function availabilityOf(
  db: Db,
  accountId: string,
  checkId: string,
  { from, to }: events.EventPeriod,
): Promise<Availability> {
  const [current, previous] = await Promise.all([
    events.countHeartbeatEvents(db, accountId, checkId, { from, to }),
    events.countHeartbeatEvents(db, accountId, checkId, { from: from - (to - from), to: from }),
  ])
  return {
    // choice: the ratio of a period without events is absent.
    successRatio: {
      ...(previous.total > 0 && { previousPeriod: percentOf(previous) }),
      ...(current.total > 0 && { currentPeriod: percentOf(current) }),
    },
    totalEntitiesCurrentPeriod: current.total,
  }
}

async function statsOf(db: Db, accountId: string, checkId: string, now: number) {
  const [last24Hours, last7Days] = await Promise.all([
    availabilityOf(db, accountId, checkId, { from: now - dayMs, to: now + 1 }),
    availabilityOf(db, accountId, checkId, { from: now - 7 * dayMs, to: now + 1 }),
  ])
  return { last24Hours, last7Days }
}

/** choice: percent with four decimals. */
function percentOf({ total, failing }: events.EventCounts): number {
  return Math.round(((total - failing) / total) * 1_000_000) / 10_000
}

function serializeEvent(row: events.HeartbeatEventRow): z.output<typeof HeartbeatEvent> {
  return {
    id: row.id,
    state: row.state,
    timestamp: row.occurred_at,
    source: row.source,
    userAgent: row.user_agent,
  }
}
