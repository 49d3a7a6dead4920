import { hourMs } from '@vedette/contracts'
import { codeQueues, locationKeyOf } from '../schedule/queue.ts'
import { readCheckStates } from '../states/read-check-states.ts'
import { countResults, countTimings, listMeasuredChecks } from '../storage/accounts/account-metrics.ts'
import type { Store } from '../storage/core/db.ts'
import { agentGoneAfterMs, listLocationAgents } from '../storage/runs/agents.ts'
import { listQueues, type Queue } from '../storage/runs/private-location-metrics.ts'
import { listPrivateLocations } from '../storage/runs/private-locations.ts'
import { checkFamilies, timingBounds } from './account-metrics.ts'
import { renderExposition } from './exposition.ts'
import { locationFamilies } from './location-metrics.ts'

export interface MetricsOptions {
  disableTagParsing: boolean
  locationLabelEnabled: boolean
  includeRetryAttempts: boolean
}

/** With more checks, only response times have histograms: all phases would take a hundred lines per check. */
const maxDetailedChecks = 500

export async function readAccountMetrics(
  { db, pool }: Store,
  accountId: string,
  options: MetricsOptions,
  now: number,
): Promise<string> {
  const query = {
    accountId,
    sinceMs: Math.floor(now / hourMs) * hourMs,
    byLocation: options.locationLabelEnabled,
    withAttempts: options.includeRetryAttempts,
  }
  const states = await readCheckStates(pool, { accountId }, now)
  const stateOf = new Map(states.map(({ row, state }) => [row.id, state.state]))
  const measured = await listMeasuredChecks(pool, accountId, now)
  const checks = measured.map((check) => ({ ...check, state: stateOf.get(check.id) ?? 'unknown' }))
  const boundsMs = timingBounds.map((seconds) => seconds * 1000)
  const [counts, timings, locations] = await Promise.all([
    countResults(pool, query),
    countTimings(pool, query, boundsMs, checks.length > maxDetailedChecks),
    measureLocations({ db, pool }, accountId, now),
  ])
  return renderExposition([
    ...checkFamilies({ checks, counts, timings }, !options.disableTagParsing),
    ...locationFamilies(locations),
  ])
}

async function measureLocations({ db, pool }: Pick<Store, 'db' | 'pool'>, accountId: string, now: number) {
  const locations = await listPrivateLocations(db, accountId)
  const ids = locations.map(({ id }) => id)
  const queues = Map.groupBy(await listQueues(pool, now, [...ids, ...codeQueues(ids)]), ({ queue }) =>
    locationKeyOf(queue),
  )
  const agents = await listLocationAgents(pool, accountId, ids)
  return locations.map(({ id, name, slug_name }) => ({
    id,
    name,
    slugName: slug_name,
    agentCount: agents.filter(
      (agent) => agent.privateLocationId === id && Date.parse(agent.lastSeenAt) >= now - agentGoneAfterMs,
    ).length,
    queue: addQueues(queues.get(id) ?? []),
  }))
}

/** A location has a queue of network checks and one of code checks. */
function addQueues(queues: readonly Queue[]): Omit<Queue, 'queue'> {
  const sum = (value: (queue: Queue) => number) => queues.reduce((total, queue) => total + value(queue), 0)
  return {
    waiting: sum(({ waiting }) => waiting),
    inProgress: sum(({ inProgress }) => inProgress),
    oldestMs: Math.max(0, ...queues.map(({ oldestMs }) => oldestMs)),
  }
}
