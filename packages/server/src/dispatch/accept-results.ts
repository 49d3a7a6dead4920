// Accepts or refuses each result of a report. A result that can't be stored doesn't block the others.
import { dayMs, type ReportedResult } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import { type DecisionContext, decisionContext } from '../alerting/decision/decision-context.ts'
import type { Config } from '../config.ts'
import type { Log } from '../core/log.ts'
import type { IngestPressure } from '../ingest/pressure.ts'
import { metrics } from '../prometheus/metrics.ts'
import { isStoreUnavailable, type Store } from '../storage/core/db.ts'
import { groupByNode } from '../storage/core/shards.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { Lease } from './lease-token.ts'
import { type Report, settleReports } from './settle.ts'

type Deps = Parameters<typeof decisionContext>[0] & {
  store: Store
  config: Config
  log: Log
  pressure: IngestPressure
}

export type Acceptance = { accepted: boolean; reason?: string }

/** In the order of `results`. `lease`: null if the token isn't a lease of this agent. */
export async function acceptResults(
  deps: Deps,
  results: readonly { reported: ReportedResult; lease: Lease | null }[],
): Promise<Acceptance[]> {
  const keptSince = deps.clock.now() - deps.config.RESULT_RETENTION_DAYS * dayMs
  const reports = results.flatMap(({ reported, lease }) =>
    lease === null || lease.scheduledAt < keptSince ? [] : [{ reported, lease }],
  )
  deps.pressure.add(reports.length)
  const refused = await settleByNode(deps, reports, decisionContext(deps))
  return results.map(({ reported, lease }) => {
    if (lease === null) return refuse('lease', 'the token is not a lease of this agent')
    if (lease.scheduledAt < keptSince) return refuse('late', 'results of that time are no longer kept')
    const reason = refused.get(reported)
    if (reason !== undefined) return refuse('data', reason)
    metrics.runsRecorded.add()
    if (lease.source === 'schedule' && lease.attempt === 1) {
      metrics.startLag.observe(Math.max(0, reported.startedAt - lease.scheduledAt) / 1000)
    }
    return { accepted: true }
  })
}

function refuse(kind: string, reason: string): Acceptance {
  metrics.runsRefused.add(1, { reason: kind })
  return { accepted: false, reason }
}

/**
 * One transaction for each machine that history is distributed over: it waits for no other machine, and one that is absent
 * doesn't block the results of the others. If one fails, the agent repeats the report, and recorded results are ignored.
 */
async function settleByNode(
  deps: Deps,
  reports: Report[],
  context: DecisionContext,
): Promise<Map<ReportedResult, string>> {
  const groups = groupByNode(reports, ({ lease }) => lease.checkId)
  const outcomes = await Promise.allSettled(groups.map((group) => settle(deps, group, context)))
  return new Map(
    outcomes.flatMap((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return [...outcome.value]
    }),
  )
}

/** In one transaction; if that fails, one by one, so that only results that can't be stored are refused. */
async function settle(
  { store, log }: Deps,
  reports: Report[],
  context: DecisionContext,
): Promise<Map<ReportedResult, string>> {
  const refused = new Map<ReportedResult, string>()
  if (reports.length === 0) return refused
  const commit = (batch: Report[]) =>
    inTransaction(store.pool, (client) => settleReports(client, batch, context))
  try {
    await commit(reports)
  } catch (error) {
    if (isStoreUnavailable(error)) throw error
    log.warn({ err: error, results: reports.length }, 'ingest.batch-failed')
    for (const report of reports) {
      try {
        await commit([report])
      } catch (cause) {
        // If the data isn't the cause, the agent keeps the result and tries again.
        if (isStoreUnavailable(cause) || !isDataError(cause)) throw cause
        log.error({ err: cause, runId: report.lease.runId }, 'ingest.result-set-aside')
        refused.set(report.reported, 'the result could not be stored')
      }
    }
  }
  return refused
}

/** 22: data exception, 23: integrity constraint violation. */
function isDataError(error: unknown): boolean {
  return error instanceof RangeError || /^(22|23)/.test(errorCode(error) ?? '')
}
