// Decides alerts for a batch of checks, in the transaction that records their results. In: runs that are newer than the last
// decided ones, newest last. Out: rows of alerts, reminders and states. It opens no connections.

import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { lockAlertStates, type TriggeringResult } from '../../storage/alerts/alert-states.ts'
import { readDerivedAlertStates } from '../../storage/alerts/derived-alert-states.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Client } from '../../storage/core/transaction.ts'
import type { AlertRun } from './alert-state.ts'
import { decide, silenceOf } from './decide.ts'
import type { DecisionContext } from './decision-context.ts'
import { rawStateOf } from './run-state.ts'
import { type CheckDecision, writeDecisions } from './write-decisions.ts'

export interface CheckRuns {
  accountId: string
  checkId: string
  runs: AlertRun[]
  /** The result of the last run. */
  lead: TriggeringResult
  isLate: boolean
  /** Whether the check was passing before: then it has no stored state. */
  wasCalm: boolean
}

export async function decideAlerts(
  client: Client,
  checks: readonly CheckRuns[],
  { now, isAlerting }: DecisionContext,
): Promise<void> {
  if (!isAlerting) return
  // Checks that keep passing cost no query.
  const affected = checks.filter(
    ({ runs, wasCalm }) => !wasCalm || runs.some((run) => rawStateOf(run) !== 'passing'),
  )
  if (affected.length === 0) return
  const ids = affected.map(({ checkId }) => checkId).sort()
  const states = await lockAlertStates(client, ids)
  const policies = await readAlertPolicies(client, ids, now)
  const silenced = await listSilencedChecks(client, affected, now)
  const withoutState = affected.filter(({ checkId, wasCalm }) => !wasCalm && !states.has(checkId))
  const derived = await readDerivedAlertStates(
    client,
    withoutState.map(({ checkId }) => checkId),
  )
  const decisions: CheckDecision[] = []
  for (const { checkId, runs, lead, isLate } of affected) {
    const policy = policies.get(checkId)
    if (policy === undefined) continue
    const stored = states.get(checkId)
    const before = stored ?? derived.get(checkId) ?? null
    const silence = silenceOf(policy, silenced.has(checkId))
    const decision = decide(before, { runs, isLate }, { settings: policy.settings, silence, now })
    decisions.push({ policy, before, isStored: stored !== undefined, decision, lead })
  }
  await writeDecisions(client, decisions, now)
}
