import type { PrivateLocation } from '@vedette/contracts'
import type { z } from 'zod'
import { agentGoneAfterMs, type LocationAgent } from '../../storage/runs/agents.ts'
import { compareVersions, isOutdated } from './agent-version.ts'

type Location = z.output<typeof PrivateLocation>
type Seen = Pick<Location, 'lastSeen' | 'agentCount'>
type Versions = Required<Pick<Location, 'minAgentVersion' | 'runningAgents'>>

/** `agents`: of one location, most recently seen first, including those that are gone. */
export function serializeAgents(agents: LocationAgent[], now: number): Seen & Versions {
  const live = agents.filter(({ lastSeenAt }) => Date.parse(lastSeenAt) >= now - agentGoneAfterMs)
  const byVersion = [...Map.groupBy(live, ({ version }) => version)].sort(([a], [b]) => compareVersions(a, b))
  return {
    lastSeen: agents[0]?.lastSeenAt ?? null,
    agentCount: live.length,
    minAgentVersion: byVersion[0]?.[0] ?? null,
    runningAgents: byVersion.map(([version, running]) => ({
      version,
      isOutdated: isOutdated(version),
      count: running.length,
      agents: running.map(({ id, lastSeenAt }) => ({ id, lastSeenAt })),
    })),
  }
}
