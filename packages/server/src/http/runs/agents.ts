// Routes of agents: they claim runs and report presence, results and errors. See contracts/runs/agent-api.ts.
import {
  ApiError,
  checkTypeNames,
  claimJobs,
  type Job,
  locationIds,
  locationNames,
  reportError,
  reportLog,
  reportPresence,
  reportResults,
  type UpcomingCodeRun,
} from '@vedette/contracts'
import { oneLine } from '../../alerting/message/plain-text.ts'
import { resultIntake } from '../../dispatch/accept-results.ts'
import { capacityOf, handOuts, type Offer, upcomingCode } from '../../dispatch/hand-out.ts'
import { metrics } from '../../prometheus/metrics.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { listLiveRegions } from '../../storage/runs/agents.ts'
import { insertLogChunk } from '../../storage/runs/run-logs.ts'
import { countQueuedRuns } from '../../storage/runs/schedule.ts'
import type { AgentCaller } from '../transport/agent-caller.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { leaseFor } from './agent-lease.ts'
import { minAgentVersion } from './agent-version.ts'
import { ClaimWaits, leadMs } from './claim-wait.ts'
import { recordPresences } from './record-presences.ts'

export function agentRoutes(deps: Deps): Mounted[] {
  const { clock, store, log } = deps
  const serverTime = () => ({ serverTime: clock.now() })
  const waits = new ClaimWaits(
    (queues) => countQueuedRuns(store.pool, queues, clock.now() + leadMs),
    () => clock.now(),
    (queue) => deps.turns?.shareBefore(queue) ?? 0,
  )
  const handOut = handOuts(deps)
  const record = recordPresences(deps)
  const accept = resultIntake(deps)
  return [
    handle(claimJobs, async ({ agent, body, signal }) => {
      const { agentId, checkTypes, freeNetwork, freeCode, codeSlots, aheadMs } = body
      const ranAt = { agentId, agentName: nameOf(body), isBuiltIn: agent.kind === 'built-in' }
      const offer = {
        agent: ranAt,
        // An agent of a later release may offer types that this server doesn't know.
        checkTypes: checkTypeNames.filter((type) => checkTypes.includes(type)),
        freeNetwork,
        freeCode,
        codeSlots,
        aheadMs,
      }
      const claimed = await claim(
        { ...deps, waits, handOut },
        agent,
        body.locations,
        offer,
        body.waitSeconds * 1000,
        signal,
      )
      metrics.runsClaimed.add(claimed.jobs.length)
      return { ...serverTime(), ...claimed }
    }),
    handle(reportPresence, async ({ agent, body }) => {
      const leases = body.leases.flatMap((token) => leaseFor(deps, agent, token) ?? [])
      const held = await record({ agent: presenceOf(agent, body), leases })
      if (held === null) throw new ApiError('forbidden', { message: 'This agentId belongs to another key.' })
      const gone = leases.filter(({ leaseId }) => !held.has(leaseId))
      return { ...serverTime(), cancelled: gone.map(({ runId }) => runId), minAgentVersion }
    }),
    handle(reportResults, async ({ agent, body }) => {
      const begin = performance.now()
      const read = body.results.map((reported) => ({
        reported,
        lease: leaseFor(deps, agent, reported.token),
      }))
      const answers = await accept(body.agentId, read)
      metrics.ingestBatch.observe((performance.now() - begin) / 1000)
      return { ...serverTime(), answers }
    }),
    handle(reportLog, async ({ agent, body: { token, firstLine, lines } }) => {
      const lease = leaseFor(deps, agent, token)
      const isWanted =
        lease !== null &&
        (await inTransaction(store.pool, (client) => insertLogChunk(client, { ...lease, firstLine, lines })))
      return { ...serverTime(), isWanted }
    }),
    handle(reportError, async ({ agent, body }) => {
      const { agentId, version, level, message, stack } = body
      log[level]({ agentId, version, agent: agent.kind, agentMessage: message, stack }, 'agent.error')
      return serverTime()
    }),
  ]
}

/** The built-in agent serves the regions that have no other agent: they change while it waits. */
const longestBuiltInWaitMs = 1_000

async function claim(
  deps: Deps & { waits: ClaimWaits; handOut: ReturnType<typeof handOuts> },
  agent: AgentCaller,
  requested: readonly string[],
  offer: Omit<Offer, 'locationKeys'>,
  waitMs: number,
  signal: AbortSignal,
): Promise<{ jobs: Job[]; nextCode: UpcomingCodeRun[] }> {
  const { clock, waits, handOut } = deps
  const until = clock.now() + waitMs
  const longestMs = agent.kind === 'built-in' ? longestBuiltInWaitMs : waitMs
  for (let isWoken = false; ; ) {
    const whole = { ...offer, locationKeys: await locationKeysOf(deps, agent, requested) }
    const takesAhead = (offer.aheadMs ?? 0) >= leadMs
    const capacity = { counts: capacityOf(whole), ahead: new Set(takesAhead ? whole.locationKeys : []) }
    const jobs = isWoken || waits.mayBeDue(capacity) ? await handOut(whole) : []
    const remainingMs = until - clock.now()
    if (jobs.length > 0 || remainingMs <= 0 || signal.aborted)
      return { jobs, nextCode: await upcomingCode(deps, whole, clock.now()) }
    isWoken = await waits.wait(capacity, Math.min(remainingMs, longestMs), signal)
  }
}

/** Only a private location's key has access to its queue; only agents of operators and the built-in one serve regions. */
async function locationKeysOf(
  { store, clock }: Deps,
  agent: AgentCaller,
  requested: readonly string[],
): Promise<string[]> {
  if (agent.kind === 'private') return [agent.privateLocationId]
  const regions = regionsOf(requested)
  if (agent.kind === 'operator') return regions
  const served = await listLiveRegions(store.pool, clock.now())
  return regions.filter((region) => !served.has(region))
}

/** All regions, unless the agent is restricted to some. */
function regionsOf(requested: readonly string[]): string[] {
  return requested.length === 0 ? [...locationIds] : requested.filter((location) => location in locationNames)
}

function presenceOf(agent: AgentCaller, body: PresenceBody) {
  return {
    id: body.agentId,
    accountId: agent.kind === 'private' ? agent.accountId : null,
    privateLocationId: agent.kind === 'private' ? agent.privateLocationId : null,
    agentKeyId: agent.kind === 'operator' ? agent.keyId : null,
    locations: agent.kind === 'private' ? [] : regionsOf(body.locations),
    version: body.version,
    name: nameOf(body),
    state: body.state,
    facts: body.facts,
    startedAtMs: body.startedAt,
  }
}

/** Shown next to a location, so it must fit one line. */
function nameOf({ agentName = '' }: { agentName?: string | undefined }): string | null {
  return oneLine(agentName, 100) || null
}

interface PresenceBody {
  agentId: string
  version: string
  agentName?: string | undefined
  locations: string[]
  state: 'running' | 'draining'
  facts: Record<string, unknown>
  startedAt: number
}
