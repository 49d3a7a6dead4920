// The locations of an account: which agents serve them, how late runs start, and what waits.
import { type LocationId, locationIds, locationNames } from '@vedette/contracts'
import { allQueues, codeQueues } from '../schedule/queue.ts'
import {
  type LocationAlarmRow,
  listLocationAlarms,
  listLocationAlarmsOf,
} from '../storage/alerts/location-alarms.ts'
import type { Store } from '../storage/core/db.ts'
import { agentGoneAfterMs } from '../storage/runs/agents.ts'
import {
  type CoveredHour,
  countWaitingRuns,
  listCoveredHours,
  listPresentAgents,
  listStartLags,
  listWaitingRuns,
  type PresentAgent,
  type StartLag,
  type Waiting,
  type WaitingRun,
} from '../storage/runs/location-activity.ts'
import { listPrivateLocations } from '../storage/runs/private-locations.ts'

const lagMs = 15 * 60_000
/** Agents of private locations are remembered: people look for the one that ended. */
const rememberedMs = 24 * 3_600_000
const maxListed = 20

export interface LocationsOf {
  accountId: string
  /** Active checks, by location. */
  checkCounts: ReadonlyMap<string, number>
}

export interface LocationFacts {
  location: string
  name: string
  privateLocationId: string | null
  agents: PresentAgent[]
  checkCount: number
  waiting: Waiting | null
  lag: StartLag | null
  alarm: LocationAlarmRow | null
}

export interface LocationFactsDetail extends LocationFacts {
  waitingRuns: WaitingRun[]
  hours: CoveredHour[]
  alarms: LocationAlarmRow[]
}

/** Data-center locations in the order of their list, then private ones. */
export async function readLocations(
  { db, pool }: Pick<Store, 'db' | 'pool'>,
  { accountId, checkCounts }: LocationsOf,
  now: number,
): Promise<LocationFacts[]> {
  const privateOnes = await listPrivateLocations(db, accountId)
  const queues = allQueues(privateOnes.map(({ id }) => id))
  const liveSince = now - agentGoneAfterMs
  const [agents, waiting, lags, alarms] = await Promise.all([
    listPresentAgents(pool, accountId, { liveSince, rememberedSince: now - rememberedMs }),
    countWaitingRuns(pool, accountId, { queues, now }),
    listStartLags(pool, accountId, now - lagMs),
    listLocationAlarms(db, accountId, { limit: 100, page: 1 }),
  ])
  const isOpenOf = (location: string) => (alarm: LocationAlarmRow) =>
    alarm.location === location && alarm.resolved_at === null
  const factsOf = (location: string) => ({
    checkCount: checkCounts.get(location) ?? 0,
    waiting: waiting.find((one) => one.location === location) ?? null,
    lag: lags.find((one) => one.location === location) ?? null,
    alarm: alarms.items.find(isOpenOf(location)) ?? null,
  })
  return [
    ...locationIds.map((region) => ({
      location: region,
      name: locationNames[region],
      privateLocationId: null,
      agents: serversOf(region, agents),
      ...factsOf(region),
    })),
    ...privateOnes.map(({ id, name, slug_name: slug }) => ({
      location: slug,
      name,
      privateLocationId: id,
      agents: agents.filter(({ privateLocationId }) => privateLocationId === id),
      ...factsOf(slug),
    })),
  ]
}

/** Null: there is no such location. */
export async function readLocation(
  store: Pick<Store, 'db' | 'pool'>,
  of: LocationsOf,
  location: string,
  now: number,
): Promise<LocationFactsDetail | null> {
  const facts = (await readLocations(store, of, now)).find((one) => one.location === location)
  if (facts === undefined) return null
  const { db, pool } = store
  const { accountId } = of
  const key = facts.privateLocationId ?? location
  const from = Math.floor(now / 3_600_000 - 24) * 3_600_000
  const [waitingRuns, hours, alarms] = await Promise.all([
    listWaitingRuns(pool, accountId, { queues: [key, ...codeQueues([key])], now, limit: maxListed }),
    listCoveredHours(pool, accountId, { location, from }),
    listLocationAlarmsOf(db, accountId, location, maxListed),
  ])
  return { ...facts, waitingRuns, hours, alarms }
}

/** The built-in agent leaves a region to running agents of the operator. */
function serversOf(region: LocationId, agents: readonly PresentAgent[]): PresentAgent[] {
  const serving = agents.filter(({ locations }) => locations.includes(region))
  const isTaken = serving.some(({ kind, state }) => kind === 'operator' && state === 'running')
  return isTaken ? serving.filter(({ kind }) => kind === 'operator') : serving
}
