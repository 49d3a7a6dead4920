import {
  callCheckGroupTrigger,
  callCheckTrigger,
  postCheckGroupTrigger,
  postCheckTrigger,
  type TriggerOptions,
  triggerLimit,
  triggerWaitSeconds,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { callTrigger } from '../../runs/trigger-checks.ts'
import { findGroup } from '../../storage/checks/check-groups.ts'
import { findCalledTrigger, type TriggerRow } from '../../storage/checks/triggers.ts'
import { transact } from '../../storage/core/db.ts'
import {
  type CheckSessionRow,
  findCheckSession,
  listSessionResults,
} from '../../storage/runs/check-sessions.ts'
import { wakeClaims } from '../runs/claim-wait.ts'
import type { Call } from '../transport/call.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, ResponseWithStatus } from '../transport/mount.ts'
import { RateLimiter, rateLimited } from '../transport/rate-limit.ts'
import { serializeOutcome, type TriggerOutcome } from './serialize-outcome.ts'

export function triggerUrlRoutes(deps: Deps): Mounted[] {
  const limiter = new RateLimiter(deps.store.pool, deps.clock)
  const check = async ({ params, query, signal }: Call<typeof callCheckTrigger>) => {
    const row = orNotFound(await findCalledTrigger(deps.store.db, deps.vault, params, params.token))
    const [outcome] = await run(deps, limiter, row, query, signal)
    const { checkId: _, ...body } = orNotFound(outcome)
    return new ResponseWithStatus(body.hasFailures ? 503 : 200, body)
  }
  const group = async ({ params, query, signal }: Call<typeof callCheckGroupTrigger>) => {
    const row = orNotFound(await findCalledTrigger(deps.store.db, deps.vault, params, params.token))
    const results = await run(deps, limiter, row, query, signal)
    const hasFailures = results.some((result) => result.hasFailures)
    return new ResponseWithStatus(hasFailures ? 503 : 200, { hasFailures, results })
  }
  return [
    handle(callCheckTrigger, check),
    handle(postCheckTrigger, check),
    handle(callCheckGroupTrigger, group),
    handle(postCheckGroupTrigger, group),
  ]
}

async function run(
  deps: Deps,
  limiter: RateLimiter,
  row: TriggerRow,
  options: TriggerOptions,
  signal: AbortSignal,
): Promise<TriggerOutcome[]> {
  await limitCalls(deps, limiter, row)
  const sessions = await start(deps, row, options)
  wakeClaims()
  await awaitAll(deps, sessions, signal)
  return Promise.all(sessions.map((session) => outcomeOf(deps, session)))
}

/** Only calls with the right token count, so that no one else can use up the limit. */
async function limitCalls({ config }: Deps, limiter: RateLimiter, { id }: TriggerRow): Promise<void> {
  const limit = Math.max(1, Math.floor(triggerLimit.limit * config.RATE_LIMIT_FACTOR))
  const rule = { ...triggerLimit, limit }
  const { allowed, resetSeconds } = await limiter.take(`trigger:${id}`, rule)
  if (!allowed) throw rateLimited(rule, resetSeconds, 'this trigger')
}

async function start(
  { store, vault, clock }: Deps,
  row: TriggerRow,
  options: TriggerOptions,
): Promise<CheckSessionRow[]> {
  const { account_id: accountId, group_id: groupId } = row
  const group = groupId === null ? null : await findGroup(store.db, vault, accountId, groupId)
  return transact(store.db, (tx) => callTrigger(tx, row, group, options, clock.now()))
}

/** Waits for all sessions with one time limit; those that aren't over by then continue. */
async function awaitAll(
  { sessions: watch }: Deps,
  sessions: readonly CheckSessionRow[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(sessions.map(({ id }) => watch.wait(id, triggerWaitSeconds * 1000, signal)))
}

async function outcomeOf({ store }: Deps, { account_id, id }: CheckSessionRow): Promise<TriggerOutcome> {
  const session = orNotFound(await findCheckSession(store.db, account_id, id))
  return serializeOutcome(session, await listSessionResults(store.db, session))
}
