// Decides for many checks at once, in the transaction that records their results. In: runs, newest last, newer than what was
// decided before. Out: alerts, notifications and what is remembered, as rows. It never calls anyone.

import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { lockAlertStates, type TriggeringResult } from '../../storage/alerts/alert-states.ts'
import { readDerivedAlertStates } from '../../storage/alerts/derived-alert-states.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Client } from '../../storage/core/transaction.ts'
import type { AlertRun } from './alert-state.ts'
import { decide } from './decide.ts'
import type { DecisionContext } from './decision-context.ts'
import { rawStateOf } from './run-state.ts'
import { silenceOf } from './silence.ts'
import { type CheckDecision, writeDecisions } from './write-decisions.ts'

export interface CheckRuns {
  accountId: string
  checkId: string
  runs: AlertRun[]
  /** Of the last run. */
  lead: TriggeringResult
  isLate: boolean
  /** Whether the check was passing before: then nothing is remembered of it. */
  wasCalm: boolean
}

export async function decideAlerts(
  client: Client,
  checks: readonly CheckRuns[],
  { now, isAlerting }: DecisionContext,
): Promise<void> {
  if (!isAlerting) return
  // A check that passes and passed before costs nothing.
  const moved = checks.filter(
    ({ runs, wasCalm }) => !wasCalm || runs.some((run) => rawStateOf(run) !== 'passing'),
  )
  if (moved.length === 0) return
  const ids = moved.map(({ checkId }) => checkId).sort()
  const states = await lockAlertStates(client, ids)
  const policies = await readAlertPolicies(client, ids)
  const silenced = await listSilencedChecks(client, moved, now)
  const unknown = moved.filter(({ checkId, wasCalm }) => !wasCalm && !states.has(checkId))
  const told = await readDerivedAlertStates(
    client,
    unknown.map(({ checkId }) => checkId),
  )
  const decisions: CheckDecision[] = []
  for (const { checkId, runs, lead, isLate } of moved) {
    const policy = policies.get(checkId)
    if (policy === undefined) continue
    const stored = states.get(checkId)
    const before = stored ?? told.get(checkId) ?? null
    const silence = silenceOf(policy, silenced.has(checkId))
    const decision = decide(before, { runs, isLate }, { settings: policy.settings, silence, now })
    decisions.push({ policy, before, isStored: stored !== undefined, decision, lead })
  }
  await writeDecisions(client, decisions, now)
}
