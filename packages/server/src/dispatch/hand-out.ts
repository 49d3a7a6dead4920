// A claim from the agent's side: what it may run in, how much, and what it gets: jobs with their lease tokens.
import {
  type CheckType,
  isCodeType,
  type Job,
  metricLayoutVersion,
  networkCheckTypes,
  type RanAt,
  type RetryStrategy,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { codeQueues, networkQueues } from '../schedule/queue.ts'
import type { Store } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import { readJobRows } from '../storage/runs/job-rows.ts'
import { type ClaimedLane, claimDue, claimDueCode } from './claim.ts'
import { type PreparedRun, prepareRun } from './job.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { type SessionOptions, sessionOptions } from './session-job.ts'
import { settleReports } from './settle.ts'

export interface Offer {
  agent: RanAt
  /** Regions, or the id of one private location. */
  places: string[]
  checkTypes: CheckType[]
  freeNetwork: number
  freeCode: number
  codeSlots?: number | undefined
}

const maxPerClaim = 200
/** A script may have megabytes: with few of them an answer stays of a size that an agent can take. */
const maxCodePerClaim = 4

/** Those with room: what waits in any other is no reason to look again. */
export function queuesOf(offer: Offer): string[] {
  const { network, code } = roomOf(offer)
  return [...(network > 0 ? networkQueues(offer.places) : []), ...(code > 0 ? codeQueues(offer.places) : [])]
}

function roomOf({ checkTypes, freeNetwork, freeCode }: Offer): { network: number; code: number } {
  return {
    network: checkTypes.some((type) => !isCodeType(type)) ? Math.min(freeNetwork, maxPerClaim) : 0,
    code: checkTypes.some(isCodeType) ? Math.min(freeCode, maxCodePerClaim) : 0,
  }
}

export async function handOut(
  { store, vault }: { store: Store; vault: Vault },
  offer: Offer,
  context: DecisionContext,
): Promise<Job[]> {
  const { now } = context
  const { agent, places, checkTypes } = offer
  const { agentId } = agent
  // Only an agent that offers every type that this release knows may get all that waits: it costs no filter.
  const offersAll = networkCheckTypes.every((type) => checkTypes.includes(type))
  const room = roomOf(offer)
  const claimed = await inTransaction(store.pool, async (client) => [
    ...(await claimDue(client, {
      agentId,
      queues: networkQueues(places),
      checkTypes: offersAll ? null : checkTypes,
      limit: room.network,
      now,
    })),
    ...(await claimDueCode(client, {
      agentId,
      locationKeys: places,
      queues: codeQueues(places),
      checkTypes: checkTypes.filter(isCodeType),
      freeSlots: offer.freeCode,
      allSlots: offer.codeSlots ?? null,
      limit: room.code,
      now,
    })),
  ])
  return claimed.length === 0 ? [] : prepare({ store, vault }, claimed, agent, context)
}

async function prepare(
  { store, vault }: { store: Store; vault: Vault },
  claimed: readonly ClaimedLane[],
  agent: RanAt,
  context: DecisionContext,
): Promise<Job[]> {
  const [rows, sessions] = await Promise.all([
    readJobRows(store.db, vault, claimed),
    readSessions(store, vault, claimed),
  ])
  const jobs: Job[] = []
  for (const lane of claimed) {
    const session = sessions.get(lane.checkSessionId ?? lane.testSessionId ?? '')
    try {
      const prepared = prepareRun(lane, rows, vault, session)
      // A check deleted meanwhile took its lane with it.
      if (prepared === null) continue
      jobs.push({ ...prepared.job, token: leaseToken(vault, leaseOf(lane, prepared, agent)) })
    } catch (error) {
      await reportUnprepared(store, lane, error as Error, context)
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
  return sessionOptions(store.pool, vault, { checkSessionIds, testSessionIds })
}

function leaseOf(
  lane: ClaimedLane,
  prepared: Omit<PreparedRun, 'job'> & { job: Pick<Job, 'checkType' | 'source'> },
  ranAt: RanAt | null,
): Lease {
  return {
    laneId: lane.id,
    leaseId: lane.leaseId,
    accountId: lane.accountId,
    checkId: lane.checkId,
    checkType: prepared.job.checkType,
    runId: lane.runId,
    attempt: lane.attempt,
    scheduledAt: lane.slotAt,
    location: lane.location,
    ranAt,
    queue: lane.queue,
    source: prepared.job.source,
    checkSessionId: lane.checkSessionId,
    testSessionId: lane.testSessionId,
    startedAt: lane.runStartedAt,
    retry: (prepared.retryStrategy ?? null) as z.output<typeof RetryStrategy> | null,
    doubleCheck: prepared.doubleCheck,
    runParallel: prepared.runParallel,
    parallel: prepared.parallel,
    locations: lane.locations,
  }
}

/** Our own failure is a result too: a run that can't be prepared must not look as if it never was. */
async function reportUnprepared(
  store: Store,
  lane: ClaimedLane,
  error: Error,
  context: DecisionContext,
): Promise<void> {
  const prepared = {
    job: {
      checkType: lane.checkType as CheckType,
      source: lane.testSessionId !== null ? 'test' : lane.checkSessionId !== null ? 'session' : 'schedule',
    },
    retryStrategy: null,
    doubleCheck: false,
    runParallel: false,
    parallel: null,
  } as const
  const lease = leaseOf(lane, prepared, null)
  const message = `the run could not be prepared: ${error.message}`
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
