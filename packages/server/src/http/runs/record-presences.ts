// Records that agents are alive and renews their leases, for many that report within a short time together: the cost hardly grows
// with the number of agents.
import { leaseMs } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import { batched } from '../../core/batched.ts'
import type { Lease } from '../../dispatch/lease-token.ts'
import { RecentAgents } from '../../dispatch/recent-agents.ts'
import { retryConflicts } from '../../storage/core/retry-conflicts.ts'
import { type AgentPresence, touchAgents } from '../../storage/runs/agents.ts'
import { renewLeases } from '../../storage/runs/schedule.ts'
import type { Deps } from '../transport/deps.ts'

const gatherMs = 500

interface Report {
  agent: AgentPresence
  leases: readonly Lease[]
}

/** The ids of the leases that are still held; null: the id of the agent belongs to another key. */
type Held = ReadonlySet<string> | null

export function recordPresences(deps: Pick<Deps, 'store' | 'clock'>): (report: Report) => Promise<Held> {
  const agents = new RecentAgents()
  const record = batched((reports: readonly Report[]) => recordAll(deps, reports), {
    gatherMs,
    isUrgent: () => !agents.areMany,
  })
  return async (report) => {
    agents.add(report.agent.id, deps.clock.now())
    const outcome = await record(report)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
}

async function recordAll(
  deps: Pick<Deps, 'store' | 'clock'>,
  reports: readonly Report[],
): Promise<PromiseSettledResult<Held>[]> {
  const isEachOnce = new Set(reports.map(({ agent }) => agent.id)).size === reports.length
  try {
    if (isEachOnce)
      return (await recordTogether(deps, reports)).map((value) => ({ status: 'fulfilled', value }))
  } catch (error) {
    if (!concernsOne(error)) throw error
  }
  return Promise.allSettled(reports.map(async (report) => (await recordTogether(deps, [report]))[0] ?? null))
}

/** Text that PostgreSQL doesn't accept, or a location that was just deleted. */
function concernsOne(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error) ?? '')
}

async function recordTogether(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  reports: readonly Report[],
): Promise<Held[]> {
  const agents = reports.map(({ agent }) => agent)
  const known = await touchAgents(store.pool, agents, clock.now())
  const leases = reports.flatMap((report) => (known.has(report.agent.id) ? report.leases : []))
  const held = await retryConflicts(() => renewLeases(store.pool, leases, clock.now() + leaseMs))
  return agents.map(({ id }) => (known.has(id) ? held : null))
}
