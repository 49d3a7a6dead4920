import {
  checkTypeNames,
  defaultAgentTypes,
  getLocationStatus,
  type LocationAgent,
  type LocationStatus,
  listLocationStatuses,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { countByLocation } from '../../overview/select-checks.ts'
import { type LocationFacts, readLocation, readLocations } from '../../runs/location-statuses.ts'
import { agentGoneAfterMs } from '../../storage/runs/agents.ts'
import type { PresentAgent } from '../../storage/runs/location-activity.ts'
import { serializeAlarm } from '../alerts/serialize-alarm.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { isOutdated } from './agent-version.ts'

export function locationStatusRoutes({ store, overviews, clock }: Deps): Mounted[] {
  const locationsOf = async (accountId: string) => {
    const { entries } = await overviews.read(accountId)
    return { accountId, checkCounts: countByLocation(entries) }
  }
  return [
    handle(listLocationStatuses, async ({ account }) => {
      const now = clock.now()
      const locations = await readLocations(store, await locationsOf(account.id), now)
      return locations.map((facts) => serialize(facts, now))
    }),
    handle(getLocationStatus, async ({ account, params }) => {
      const now = clock.now()
      const facts = orNotFound(await readLocation(store, await locationsOf(account.id), params.location, now))
      return {
        ...serialize(facts, now),
        waitingRuns: facts.waitingRuns.map((run) => ({
          ...run,
          name: run.name ?? 'A check that isn’t saved',
        })),
        hours: facts.hours,
        alarms: facts.alarms.map(serializeAlarm),
      }
    }),
  ]
}

function serialize(facts: LocationFacts, now: number): LocationStatus {
  const { location, name, privateLocationId, agents, checkCount, waiting, lag, alarm } = facts
  return {
    location,
    name,
    privateLocationId,
    agents: agents.map((agent) => serializeAgent(agent, now)),
    checkCount,
    waiting: { runs: waiting?.runs ?? 0, oldestMs: Math.max(0, Math.round(waiting?.oldestMs ?? 0)) },
    lag: lag && { runs: lag.runs, p50: lag.p50, p95: lag.p95, max: lag.max },
    alarm: alarm && serializeAlarm(alarm),
  }
}

function serializeAgent(agent: PresentAgent, now: number): LocationAgent {
  const { id, name, kind, version, startedAt, lastSeenAt, facts } = agent
  const isGone = Date.parse(lastSeenAt) < now - agentGoneAfterMs
  const types = Array.isArray(facts.checkTypes) ? facts.checkTypes : defaultAgentTypes
  return {
    ...{ id, name, kind, version, startedAt, lastSeenAt },
    state: isGone ? 'gone' : agent.state,
    isOutdated: isOutdated(version),
    checkTypes: checkTypeNames.filter((type) => types.includes(type)),
    slots: slotsOf(facts.slots),
    running: slotsOf(facts.running),
    isolation: isolationOf(facts.codeSandbox),
    network: facts.network === 'public' || facts.network === 'private' ? facts.network : null,
  }
}

/** Agents report what they like: other shapes are left out. */
function slotsOf(value: unknown): LocationAgent['slots'] {
  if (typeof value !== 'object' || value === null) return null
  const [network, code] = [Reflect.get(value, 'network'), Reflect.get(value, 'code')]
  const isCount = (count: unknown): count is number => Number.isInteger(count) && Number(count) >= 0
  return isCount(network) && isCount(code) ? { network, code } : null
}

function isolationOf(sandbox: unknown): LocationAgent['isolation'] {
  const level = typeof sandbox === 'object' && sandbox !== null ? Reflect.get(sandbox, 'level') : null
  return level === 'strong' || level === 'same-user' || level === 'fallback' ? level : null
}
