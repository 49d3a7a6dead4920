// Applies final results to checks: the status, and whether people are notified. Status rows are locked, so that one of two
// servers decides first. A run that isn't newer than the last decided one changes nothing.
import type { AlertRun } from '../alerting/decision/alert-state.ts'
import { type CheckRuns, decideAlerts } from '../alerting/decision/decide-alerts.ts'
import { decideSsl } from '../alerting/decision/decide-ssl.ts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import type { LoggedState, StateChange } from '../core/state-log.ts'
import { minUnknownMs, unknownFrom } from '../states/check-state.ts'
import type { TriggeringResult } from '../storage/alerts/alert-states.ts'
import { afterCommit } from '../storage/core/after-commit.ts'
import type { Client } from '../storage/core/transaction.ts'
import { readMissRules } from '../storage/results/state-facts.ts'
import { lockStatuses, type StatusRow, upsertStatuses } from '../storage/results/status-writes.ts'
import { type DecidableResult, nextStatus } from './status.ts'

/** A finished run in one or several locations. */
export interface DecidableRun extends Omit<DecidableResult, 'endedAt' | 'failureMessage'> {
  accountId: string
  checkId: string
  sslDaysRemaining: number | null
  /** When its last result was complete, by the server's clock; null: never counts as late. */
  completedAt: number | null
  lead: TriggeringResult
  counts: Omit<AlertRun, 'at'>
}

/** Older results come from an agent that couldn't report: newer ones may follow at once. */
const lateAfterMs = 90_000

export async function decideRuns(
  client: Client,
  runs: readonly DecidableRun[],
  context: DecisionContext,
): Promise<void> {
  if (runs.length === 0) return
  const { now } = context
  const byCheck = Map.groupBy(runs, ({ checkId }) => checkId)
  const checks = new Map(runs.map(({ accountId, checkId }) => [checkId, { accountId, checkId }]))
  const before = await lockStatuses(client, [...checks.values()], now)
  const changed: StatusRow[] = []
  const decidable: CheckRuns[] = []
  for (const [checkId, ofCheck] of byCheck) {
    const previous = before.get(checkId) ?? null
    let status = previous
    const newer: DecidableRun[] = []
    for (const run of ofCheck.sort((a, b) => a.scheduledAt - b.scheduledAt)) {
      const next = applyRun(status, run, now)
      if (next === status) continue
      status = next
      // An internal error says nothing about the target.
      if (!run.hasErrors) newer.push(run)
    }
    if (status !== null && status !== previous) changed.push(status)
    const last = newer.at(-1)
    if (last !== undefined) decidable.push(runsOfCheck(last, newer, previous, now))
  }
  await upsertStatuses(client, await restartStates(client, changed, before, byCheck), now)
  logChanges(client, changed, before, byCheck, context)
  await decideAlerts(client, decidable, context)
  await decideSsl(client, certificatesOf(changed, before, byCheck), context)
}

function logChanges(
  client: Client,
  changed: readonly StatusRow[],
  before: ReadonlyMap<string, StatusRow>,
  byCheck: ReadonlyMap<string, DecidableRun[]>,
  { stateLog }: DecisionContext,
): void {
  if (stateLog === undefined) return
  const changes = changed.flatMap((status): StateChange[] => {
    const { accountId, checkId } = status
    const previous = before.get(checkId)
    const [from, to] = [previous === undefined ? null : loggedState(previous), loggedState(status)]
    if (to === (from ?? 'passing')) return []
    const { lead, location = '' } = byCheck.get(checkId)?.findLast(({ hasErrors }) => !hasErrors) ?? {}
    const since = previous?.stateSince ?? null
    return [
      { accountId, checkId, from, since, to, at: status.decidedAt, location, reason: lead?.error ?? null },
    ]
  })
  if (changes.length > 0) afterCommit(client, () => stateLog.add(changes))
}

function loggedState({ hasFailures, isDegraded }: StatusRow): LoggedState {
  return hasFailures ? 'failing' : isDegraded ? 'degraded' : 'passing'
}

function applyRun(previous: StatusRow | null, run: DecidableRun, now: number): StatusRow | null {
  const { completedAt, lead, scheduledAt } = run
  const ended = completedAt ?? lead.startedAt + (run.responseTimeMs ?? 0)
  const endedAt = Math.max(scheduledAt, Math.min(now, ended))
  const status = nextStatus(previous, { ...run, endedAt, failureMessage: lead.error })
  if (status === null || status === previous) return previous
  const { accountId, checkId } = run
  const sslDaysRemaining = run.sslDaysRemaining ?? previous?.sslDaysRemaining ?? null
  return { ...status, lastCheckRunId: String(run.scheduledAt), accountId, checkId, sslDaysRemaining }
}

/** If the state was unknown in between, the check enters its state again, even if that is the same as before. */
async function restartStates(
  client: Client,
  changed: readonly StatusRow[],
  before: ReadonlyMap<string, StatusRow>,
  runs: ReadonlyMap<string, DecidableRun[]>,
): Promise<readonly StatusRow[]> {
  const gapOf = ({ checkId, knownAt, stateSince }: StatusRow) => {
    const previous = before.get(checkId)?.knownAt ?? null
    return previous === null || knownAt === null || stateSince === knownAt ? 0 : knownAt - previous
  }
  const gaps = changed.filter((status) => gapOf(status) >= minUnknownMs).map(({ checkId }) => checkId)
  if (gaps.length === 0) return changed
  const rules = await readMissRules(client, gaps)
  return changed.map((status) => {
    const rule = rules.get(status.checkId)
    const previous = before.get(status.checkId)?.knownAt ?? null
    if (rule === undefined || previous === null) return status
    const startedAt = Math.min(...(runs.get(status.checkId) ?? []).map(({ lead }) => lead.startedAt))
    return unknownFrom(rule, previous) <= startedAt ? { ...status, stateSince: status.knownAt } : status
  })
}

function runsOfCheck(
  last: DecidableRun,
  newer: readonly DecidableRun[],
  previous: StatusRow | null,
  now: number,
): CheckRuns {
  return {
    accountId: last.accountId,
    checkId: last.checkId,
    runs: newer.map(({ scheduledAt, counts }) => ({ at: scheduledAt, ...counts })),
    lead: last.lead,
    isLate: last.completedAt !== null && now - last.completedAt > lateAfterMs,
    wasCalm: previous === null || (!previous.hasFailures && !previous.isDegraded),
  }
}

function certificatesOf(
  changed: readonly StatusRow[],
  before: ReadonlyMap<string, StatusRow>,
  runs: ReadonlyMap<string, DecidableRun[]>,
) {
  return changed.flatMap(({ accountId, checkId, sslDaysRemaining }) => {
    const lead = runs.get(checkId)?.at(-1)?.lead
    if (sslDaysRemaining === null || lead === undefined) return []
    return [
      {
        accountId,
        checkId,
        daysRemaining: sslDaysRemaining,
        daysBefore: before.get(checkId)?.sslDaysRemaining ?? null,
        lead,
      },
    ]
  })
}
