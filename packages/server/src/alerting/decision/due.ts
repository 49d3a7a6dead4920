// Decides what falls due without a result: escalation by time, reminders, the end of a backlog. Rows are claimed with
// `skip locked`, so any number of servers may do this at once.

import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { claimDueAlertStates, deleteAlertStates } from '../../storage/alerts/alert-states.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { decideDue, silenceOf } from './decide.ts'
import { type CheckDecision, writeDecisions } from './write-decisions.ts'

/** Returns how many checks were due; if that equals the limit, there may be more. */
export async function decideDueAlerts(client: Client, now: number, limit = 500): Promise<number> {
  const due = await claimDueAlertStates(client, { now, limit })
  if (due.length === 0) return 0
  const policies = await readAlertPolicies(
    client,
    due.map(({ checkId }) => checkId),
    now,
  )
  const silenced = await listSilencedChecks(client, due, now)
  const decisions = due.flatMap((before): CheckDecision[] => {
    const policy = policies.get(before.checkId)
    if (policy === undefined) return []
    const silence = silenceOf(policy, silenced.has(before.checkId))
    const decision = decideDue(before, { settings: policy.settings, silence, now })
    return [{ policy, before, isStored: true, decision, lead: before.lead }]
  })
  // States of deleted checks.
  await deleteAlertStates(
    client,
    due.filter(({ checkId }) => !policies.has(checkId)).map(({ checkId }) => checkId),
  )
  await writeDecisions(client, decisions, now)
  return due.length
}
