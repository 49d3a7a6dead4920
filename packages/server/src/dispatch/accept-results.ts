// Accepts or refuses each result of the reports of agents, those of a short time together. A result that can't be stored doesn't
// block the others.
import { dayMs, type ReportedResult } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import { type DecisionContext, decisionContext } from '../alerting/decision/decision-context.ts'
import type { Config } from '../config.ts'
import { batched } from '../core/batched.ts'
import type { Log } from '../core/log.ts'
import type { IngestPressure } from '../ingest/pressure.ts'
import { metrics } from '../prometheus/metrics.ts'
import { isStoreUnavailable, type Store } from '../storage/core/db.ts'
import { groupByNode } from '../storage/core/shards.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { Lease } from './lease-token.ts'
import { RecentAgents } from './recent-agents.ts'
import { type Report, settleReports } from './settle.ts'

type Deps = Parameters<typeof decisionContext>[0] & {
  store: Store
  config: Config
  log: Log
  pressure: IngestPressure
}

export type Acceptance = { accepted: boolean; reason?: string }

interface ReadResult {
  reported: ReportedResult
  /** Null: the token isn't a lease of this agent. */
  lease: Lease | null
}

/** How long passed runs of many agents wait for each other: a transaction for many costs hardly more than one for a few. */
const gatherMs = 500
const maxGathered = 100

/** The returned function accepts the results of one report; what it returns is in their order. */
export function resultIntake(
  deps: Deps,
): (agentId: string, results: readonly ReadResult[]) => Promise<Acceptance[]> {
  const agents = new RecentAgents()
  const settle = batched((reports: readonly Report[][]) => settleTogether(deps, reports), {
    gatherMs,
    isUrgent: (reports) =>
      !agents.areMany || reports.flat().length >= maxGathered || reports.flat().some(isUrgent),
  })
  return async (agentId, results) => {
    agents.add(agentId, deps.clock.now())
    const keptSince = deps.clock.now() - deps.config.RESULT_RETENTION_DAYS * dayMs
    const reports = results.flatMap(({ reported, lease }) =>
      lease === null || lease.scheduledAt < keptSince ? [] : [{ reported, lease }],
    )
    deps.pressure.add(reports.length)
    const failed: Failed = reports.length === 0 ? new Map() : await settle(reports)
    // If the data isn't the cause, the agent keeps its results and tries again. Those that are recorded are ignored then.
    for (const { reported } of reports)
      if (failed.has(reported) && !isDataError(failed.get(reported))) throw failed.get(reported)
    return results.map(({ reported, lease }) => {
      if (lease === null) return refuse('lease', 'the token is not a lease of this agent')
      if (lease.scheduledAt < keptSince) return refuse('late', 'results of that time are no longer kept')
      if (failed.has(reported)) return refuse('data', 'the result could not be stored')
      metrics.runsRecorded.add()
      if (lease.source === 'schedule' && lease.attempt === 1) {
        metrics.startLag.observe(Math.max(0, reported.startedAt - lease.scheduledAt) / 1000)
      }
      return { accepted: true }
    })
  }
}

/** Somebody waits for it, or may get an alert. */
function isUrgent({ reported, lease }: Report): boolean {
  return lease.source !== 'schedule' || reported.outcome !== 'passed'
}

function refuse(kind: string, reason: string): Acceptance {
  metrics.runsRefused.add(1, { reason: kind })
  return { accepted: false, reason }
}

/** The causes of results that weren't stored. */
type Failed = ReadonlyMap<ReportedResult, unknown>

/**
 * One transaction for each machine that history is distributed over: it waits for no other machine, and one that is absent
 * doesn't block the results of the others.
 */
async function settleTogether(deps: Deps, reports: readonly Report[][]): Promise<Failed[]> {
  const context = decisionContext(deps)
  const groups = groupByNode(reports.flat(), ({ lease }) => lease.checkId)
  const outcomes = await Promise.all(groups.map((group) => settle(deps, group, context)))
  const failed: Failed = new Map(outcomes.flatMap((outcome) => [...outcome]))
  return reports.map(() => failed)
}

/** In one transaction; if that fails, by halves, so that a result that can't be stored doesn't block those of other accounts. */
async function settle(deps: Deps, reports: Report[], context: DecisionContext): Promise<Failed> {
  try {
    await inTransaction(deps.store.pool, (client) => settleReports(client, reports, context))
    return new Map()
  } catch (error) {
    if (isStoreUnavailable(error)) return new Map(reports.map(({ reported }) => [reported, error]))
    const [first] = reports
    if (first !== undefined && reports.length === 1) {
      if (isDataError(error))
        deps.log.error({ err: error, runId: first.lease.runId }, 'ingest.result-set-aside')
      return new Map([[first.reported, error]])
    }
    deps.log.warn({ err: error, results: reports.length }, 'ingest.batch-failed')
    const middle = Math.ceil(reports.length / 2)
    return new Map([
      ...(await settle(deps, reports.slice(0, middle), context)),
      ...(await settle(deps, reports.slice(middle), context)),
    ])
  }
}

/** 22: data exception, 23: integrity constraint violation. */
function isDataError(error: unknown): boolean {
  return error instanceof RangeError || /^(22|23)/.test(errorCode(error) ?? '')
}
