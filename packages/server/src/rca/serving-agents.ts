// Which agents ran the check for its locations. One agent that serves several locations has one network, so their agreement
// doesn't confirm anything.
import type { EvidenceRun } from './evidence.ts'
import { artifacts, formatList, type Proof, proof, type Statement, statement } from './finding.ts'

/** `unknown`: agents weren't recorded, or they overlap in part. */
export type Serving = 'same' | 'different' | 'unknown'

export function servingAgents(runs: readonly EvidenceRun[]): Serving {
  const byLocation = new Map<string, Set<string>>()
  for (const { location, ranAt } of runs) {
    if (ranAt === null) return 'unknown'
    const agents = byLocation.get(location) ?? new Set()
    // By name: processes of one machine share its network, and a restart changes the id.
    byLocation.set(location, agents.add(ranAt.agentName ?? ranAt.agentId))
  }
  if (byLocation.size < 2) return 'unknown'
  const sets = [...byLocation.values()]
  const all = new Set(sets.flatMap((agents) => [...agents]))
  if (all.size === 1) return 'same'
  return all.size === sets.reduce((sum, agents) => sum + agents.size, 0) ? 'different' : 'unknown'
}

/** For locations that agree: whether that is independent confirmation. */
export function agreement(runs: readonly EvidenceRun[]): Statement[] {
  const count = new Set(runs.map(({ location }) => location)).size
  const serving = servingAgents(runs)
  if (serving === 'unknown') return []
  const text =
    serving === 'same'
      ? `${allOf(count)} locations are served by the same agent, so this doesn't show whether the target or the agent's network is at fault.`
      : `${allOf(count)} locations are served by different agents, which confirm each other: the target is at fault, not the network of one agent.`
  return [statement(text, agentsProof(runs))]
}

export function agentsProof(runs: readonly EvidenceRun[]): Proof {
  const named = new Set(
    runs.map(({ location, ranAt }) => {
      const name = ranAt?.agentName ?? ranAt?.agentId ?? 'unknown'
      return `${location} by ${name}${ranAt?.isBuiltIn ? ' (built-in)' : ''}`
    }),
  )
  return proof(artifacts.locations, `agents that ran the check: ${formatList([...named].sort())}`)
}

const words = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

function allOf(count: number): string {
  return count === 2 ? 'Both' : `All ${words[count - 3] ?? count}`
}
