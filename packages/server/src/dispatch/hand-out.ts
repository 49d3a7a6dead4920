// Claims runs for agents. In: their locations, types and free capacity. Out: jobs with their lease tokens.
import {
  type CheckType,
  isCodeType,
  type Job,
  metricLayoutVersion,
  networkCheckTypes,
  type RanAt,
  type UpcomingCodeRun,
} from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { type DecisionContext, decisionContext } from '../alerting/decision/decision-context.ts'
import { batched } from '../core/batched.ts'
import { openSemaphore } from '../core/semaphore.ts'
import { codeQueues } from '../schedule/queue.ts'
import { isStoreUnavailable, type Store } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import { readJobRows } from '../storage/runs/job-rows.ts'
import { listUpcomingCode } from '../storage/runs/upcoming-code.ts'
import { type ClaimedLane, claimDue, claimDueCode, type Taker } from './claim.ts'
import { type PreparedRun, prepareRun, sourceOf } from './job.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { readSessionOptions, type SessionOptions } from './session-options.ts'
import { settleReports } from './settle.ts'

export interface Offer {
  agent: RanAt
  /** Regions, or the id of one private location. */
  locationKeys: string[]
  checkTypes: CheckType[]
  freeNetwork: number
  freeCode: number
  codeSlots?: number | undefined
  /** It also takes network runs that are due within this time. */
  aheadMs?: number
}

const maxPerClaim = 200
/** Scripts may have megabytes: the limit keeps responses small enough for agents. */
const maxCodePerClaim = 4

/** How many runs of each queue the agent can take. Others aren't worth waiting for. */
export function capacityOf(offer: Offer): Map<string, number> {
  const { network, code } = limitsOf(offer)
  const { locationKeys } = offer
  const capacities = [
    ...locationKeys.map((queue) => [queue, network] as const),
    ...codeQueues(locationKeys).map((queue) => [queue, code] as const),
  ]
  return new Map(capacities.filter(([, count]) => count > 0))
}

function limitsOf({ checkTypes, freeNetwork, freeCode }: Offer): { network: number; code: number } {
  return {
    network: checkTypes.some((type) => !isCodeType(type)) ? Math.min(freeNetwork, maxPerClaim) : 0,
    code: checkTypes.some(isCodeType) ? Math.min(freeCode, maxCodePerClaim) : 0,
  }
}

type HandOutDeps = Parameters<typeof decisionContext>[0] & { store: Store; vault: Vault }

/** Many claims of the same moment would open a connection to PostgreSQL each, which costs more than the claim. */
const claimsAtOnce = 3
/** Each may take two hundred runs, and other claims wait for the locks of their transaction. */
const maxOffersAtOnce = 25
const longestTurnMs = 5_000

/** The returned function claims runs for an agent. Claims of the same moment share a transaction where they can. */
export function handOuts(deps: HandOutDeps): (offer: Offer) => Promise<Job[]> {
  const permits = openSemaphore(claimsAtOnce, longestTurnMs)
  const inTurn = async (offers: readonly Offer[]) => {
    const release = await permits.acquire()
    try {
      return await handOutSafely(deps, offers)
    } finally {
      release?.()
    }
  }
  const claim = batched(async (offers: readonly Offer[]) => {
    const groups: Offer[][] = []
    for (const ofKind of Map.groupBy(offers, (offer) => kindOf(offer) ?? offer).values())
      while (ofKind.length > 0) groups.push(ofKind.splice(0, maxOffersAtOnce))
    const outcomes = new Map<Offer, Outcome>()
    await Promise.all(
      groups.map(async (group) => {
        for (const [index, outcome] of (await inTurn(group)).entries())
          outcomes.set(group[index] as Offer, outcome)
      }),
    )
    return offers.map((offer) => outcomes.get(offer) as Outcome)
  })
  return async (offer) => {
    const outcome = await claim(offer)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
}

type Outcome = PromiseSettledResult<Job[]>

/** What prevents the claim of one agent doesn't prevent those of others. */
async function handOutSafely(deps: HandOutDeps, offers: readonly Offer[]): Promise<Outcome[]> {
  try {
    return (await handOut(deps, offers)).map((value) => ({ status: 'fulfilled', value }))
  } catch (reason) {
    if (offers.length === 1 || isStoreUnavailable(reason))
      return offers.map(() => ({ status: 'rejected', reason }))
    const outcomes: Outcome[] = []
    for (const offer of offers) outcomes.push(...(await handOutSafely(deps, [offer])))
    return outcomes
  }
}

/** Offers of one kind can be served by one claim. Null: only by one of its own. */
function kindOf(offer: Offer): string | null {
  const { locationKeys, checkTypes, aheadMs } = offer
  const isOfOneQueue = locationKeys.length === 1 && limitsOf(offer).code === 0
  return isOfOneQueue ? JSON.stringify([checkTypes, aheadMs]) : null
}

/** The jobs of each offer. Several offers are of the same kind. */
async function handOut(deps: HandOutDeps, offers: readonly Offer[]): Promise<Job[][]> {
  const [offer] = offers
  if (offer === undefined) return []
  const context = decisionContext(deps)
  const { now } = context
  const { locationKeys, checkTypes } = offer
  // The query is cheaper without a filter by type, but then the agent must run every type of this release.
  const offersAll = networkCheckTypes.every((type) => checkTypes.includes(type))
  const takers = offers.map((one) => ({
    agent: one.agent,
    queues: one.locationKeys,
    limit: limitsOf(one).network,
  }))
  const codeTaker = { agent: offer.agent, queues: codeQueues(locationKeys), limit: limitsOf(offer).code }
  const claimed = await inTransaction(deps.store.pool, async (client) => [
    ...(await claimDue(client, {
      takers,
      checkTypes: offersAll ? null : checkTypes,
      now,
      until: now + (offer.aheadMs ?? 0),
    })),
    ...(await claimDueCode(client, {
      taker: codeTaker,
      locationKeys,
      checkTypes: checkTypes.filter(isCodeType),
      freeSlots: offer.freeCode,
      allSlots: offer.codeSlots ?? null,
      now,
    })),
  ])
  if (claimed.length === 0) return offers.map(() => [])
  const jobsOf = Map.groupBy(await prepare(deps, claimed, context), ({ taker }) => taker)
  return takers.map((taker, index) =>
    [...(jobsOf.get(taker) ?? []), ...((index === 0 && jobsOf.get(codeTaker)) || [])].map(({ job }) => job),
  )
}

/** Twice the longest claim, so that an agent hears of every run some time before it is due. */
const upcomingMs = 60_000

/** The code runs that an agent with this offer will probably claim soon: at most two for each of its code slots. */
export async function upcomingCode(
  { store }: { store: Store },
  { locationKeys, checkTypes, codeSlots = 0 }: Offer,
  now: number,
): Promise<UpcomingCodeRun[]> {
  const found = await listUpcomingCode(store.pool, {
    queues: codeQueues(locationKeys),
    checkTypes: checkTypes.filter(isCodeType),
    until: now + upcomingMs,
    limit: 2 * codeSlots,
  })
  return found.map(({ dueAt, ...run }) => ({ ...run, dueInMs: dueAt - now }))
}

async function prepare(
  { store, vault }: { store: Store; vault: Vault },
  claimed: readonly ClaimedLane[],
  context: DecisionContext,
): Promise<{ taker: Taker; job: Job }[]> {
  const [rows, sessions] = await Promise.all([
    readJobRows(store, vault, claimed),
    readSessions(store, vault, claimed),
  ])
  const jobs: { taker: Taker; job: Job }[] = []
  for (const lane of claimed) {
    const session = sessions.get(lane.checkSessionId ?? lane.testSessionId ?? '')
    try {
      const prepared = prepareRun(lane, rows, vault, session)
      // The check was deleted, and its lane with it.
      if (prepared === null) continue
      const job = {
        ...prepared.job,
        token: leaseToken(vault, leaseOf(lane, prepared, lane.taker.agent)),
        ...(lane.startAt > context.now && { startAt: lane.startAt }),
      }
      jobs.push({ taker: lane.taker, job })
    } catch (error) {
      await recordPreparationError(store, lane, errorMessage(error), context)
    }
  }
  return jobs
}

function readSessions(
  store: Store,
  vault: Vault,
  claimed: readonly ClaimedLane[],
): Promise<Map<string, SessionOptions>> {
  const ids = (pick: (lane: ClaimedLane) => string | null) => [
    ...new Set(claimed.flatMap((lane) => pick(lane) ?? [])),
  ]
  const checkSessionIds = ids((lane) => lane.checkSessionId)
  const testSessionIds = ids((lane) => lane.testSessionId)
  if (checkSessionIds.length + testSessionIds.length === 0) return Promise.resolve(new Map())
  return readSessionOptions(store.pool, vault, { checkSessionIds, testSessionIds })
}

function leaseOf(lane: ClaimedLane, run: Omit<PreparedRun, 'job'>, ranAt: RanAt | null): Lease {
  return {
    laneId: lane.id,
    leaseId: lane.leaseId,
    accountId: lane.accountId,
    checkId: lane.checkId,
    checkType: lane.checkType,
    runId: lane.runId,
    attempt: lane.attempt,
    scheduledAt: lane.slotAt,
    location: lane.location,
    ranAt,
    queue: lane.queue,
    source: sourceOf(lane),
    checkSessionId: lane.checkSessionId,
    testSessionId: lane.testSessionId,
    startedAt: lane.runStartedAt,
    retry: run.retryStrategy,
    doubleCheck: run.doubleCheck,
    runParallel: run.runParallel,
    parallel: run.parallel,
    locations: lane.locations,
  }
}

/** An internal failure is a result too: otherwise the run would seem never to have been due. */
async function recordPreparationError(
  store: Store,
  lane: ClaimedLane,
  cause: string,
  context: DecisionContext,
): Promise<void> {
  const noRetries = { retryStrategy: null, doubleCheck: false, runParallel: false, parallel: null }
  const lease = leaseOf(lane, noRetries, null)
  const message = `the run could not be prepared: ${cause}`
  await inTransaction(store.pool, (client) =>
    settleReports(
      client,
      [
        {
          lease,
          reported: {
            token: '',
            startedAt: context.now,
            durationMs: 0,
            responseTimeMs: null,
            outcome: 'error',
            overMaxResponseTime: false,
            failure: { kind: 'internal', phase: 'setup', message },
            statusCode: null,
            metrics: [],
            metricLayout: metricLayoutVersion,
            sslDaysRemaining: null,
            detail: null,
            artifacts: [],
            agenticScript: null,
          },
        },
      ],
      context,
    ),
  )
}
