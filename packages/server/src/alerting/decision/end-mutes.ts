// Ends mutes whose time is over. Channels of checks that still don't pass are notified once.
import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { lockAlertStates } from '../../storage/alerts/alert-states.ts'
import { readDerivedAlertStates } from '../../storage/alerts/derived-alert-states.ts'
import { claimEndedGroupMutes, claimEndedMutes, type EndedMute } from '../../storage/alerts/ended-mutes.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { lockStatuses } from '../../storage/results/status-writes.ts'
import { decideUnmuted, silenceOf } from './decide.ts'
import type { DecisionContext } from './decision-context.ts'
import { type CheckDecision, writeDecisions } from './write-decisions.ts'

/** Returns how many ended, of checks or of groups; if that equals the limit, there may be more. */
export async function endMutes(
  client: Client,
  { now, isAlerting }: Pick<DecisionContext, 'now' | 'isAlerting'>,
  limit = 500,
): Promise<number> {
  const groups = await claimEndedGroupMutes(client, { now, limit })
  const ended = await claimEndedMutes(client, { now, limit })
  const count = Math.max(groups.count, ended.length)
  if (isAlerting) await notifyOfFailing(client, latestOf([...groups.checks, ...ended]), now)
  return count
}

/** A check whose own mute and that of its group have ended is one check. */
function latestOf(ended: readonly EndedMute[]): EndedMute[] {
  const latest = new Map<string, EndedMute>()
  for (const mute of ended) {
    const other = latest.get(mute.checkId)
    if (other === undefined || other.mutedUntil < mute.mutedUntil) latest.set(mute.checkId, mute)
  }
  return [...latest.values()]
}

async function notifyOfFailing(client: Client, ended: readonly EndedMute[], now: number): Promise<void> {
  if (ended.length === 0) return
  const statuses = await lockStatuses(client, ended, now)
  const failing = ended.filter(({ checkId }) => {
    const status = statuses.get(checkId)
    return status !== undefined && (status.hasFailures || status.isDegraded)
  })
  const ids = failing.map(({ checkId }) => checkId).sort()
  if (ids.length === 0) return
  const states = await lockAlertStates(client, ids)
  const derived = await readDerivedAlertStates(
    client,
    ids.filter((id) => !states.has(id)),
  )
  const policies = await readAlertPolicies(client, ids, now)
  const silenced = await listSilencedChecks(client, failing, now)
  const decisions = failing.flatMap(({ checkId, mutedUntil }): CheckDecision[] => {
    const policy = policies.get(checkId)
    const stored = states.get(checkId)
    const before = stored ?? derived.get(checkId)
    if (policy === undefined || before === undefined) return []
    // What began after the mute wasn't held back.
    if (before.since !== null && before.since >= mutedUntil) return []
    const silence = silenceOf(policy, silenced.has(checkId))
    const isStored = stored !== undefined
    const options = { settings: policy.settings, silence, now }
    // A state that isn't stored hasn't changed since its alert was sent.
    const decision = decideUnmuted(before, options, !isStored)
    return [{ policy, before, isStored, decision, lead: before.lead }]
  })
  await writeDecisions(client, decisions, now)
}
