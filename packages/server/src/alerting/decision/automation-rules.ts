// Automation rules of status pages: failing checks open their incidents, the recovery of the last one resolves them. Runs in
// the transaction that decides the alerts.
import { randomUUID } from 'node:crypto'
import { minuteMs } from '@vedette/contracts'
import type { Client } from '../../storage/core/transaction.ts'
import { insertIncidentNotices } from '../../storage/pages/incident-notices.ts'
import { listSuppressedServices } from '../../storage/pages/page-maintenance.ts'
import * as failures from '../../storage/pages/rule-failures.ts'
import * as rules from '../../storage/pages/rule-incidents.ts'
import type { CheckRef } from '../../storage/pages/triggered-incidents.ts'

export interface RuleChecks {
  /** Checks whose failure was sent. */
  failed: readonly CheckRef[]
  /** Checks that have recovered. */
  ended: readonly CheckRef[]
}

export async function applyAutomationRules(
  client: Client,
  { failed, ended }: RuleChecks,
  now: number,
): Promise<void> {
  if (failed.length === 0 && ended.length === 0) return
  const locked = await failures.lockRulesOfChecks(client, failed, ended)
  if (locked.length === 0) return
  await failures.deleteRuleFailures(client, locked, ended)
  const matched = await failures.insertRuleFailures(client, locked, failed)
  await settleRules(client, locked, matched, now)
}

/** Resolves the incidents whose checks were deleted, deactivated or lost their tags. Returns how many rules it handled. */
export async function settleIdleRules(client: Client, now: number, limit = 500): Promise<number> {
  const locked = await failures.lockIdleRules(client, limit)
  if (locked.length === 0) return 0
  await failures.deleteIdleFailures(client, locked)
  await settleRules(client, locked, new Set(), now)
  return locked.length
}

/** `matched`: the rules that a new failure matches. */
async function settleRules(
  client: Client,
  locked: readonly failures.LockedRule[],
  matched: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const states = await rules.readRuleStates(client, locked)
  const steps = locked.flatMap((rule) => {
    const state = states.get(rule.id)
    return state === undefined ? [] : [{ rule, ...nextStep(rule, state, matched.has(rule.id), now) }]
  })
  const opened = steps.filter(({ step }) => step === 'open').map(({ rule }) => rule)
  const updates = steps.flatMap(({ rule, step, incidentId }) => {
    if (incidentId === null || (step !== 'reopen' && step !== 'resolve')) return []
    return [updateOf(rule, incidentId, step === 'reopen')]
  })
  const closed = steps.filter(({ step }) => step === 'close').map(({ rule }) => rule)
  const posted = await openIncidents(client, opened, now)
  if (updates.length > 0) await rules.insertRuleUpdates(client, updates, now)
  if (closed.length > 0) await rules.closeRuleIncidents(client, closed)
  const written = [...posted, ...updates].map(({ accountId, updateId }) => ({ accountId, id: updateId }))
  await insertIncidentNotices(client, written, now)
}

/** `close`: a user has resolved the incident. */
type Step = 'open' | 'reopen' | 'resolve' | 'close' | 'none'

function nextStep(
  { coolDownMinutes }: Pick<failures.LockedRule, 'coolDownMinutes'>,
  { incident, isFailing }: Pick<rules.RuleState, 'incident' | 'isFailing'>,
  hasNewFailure: boolean,
  now: number,
): { step: Step; incidentId: string | null } {
  const isOpen = incident !== null && incident.status !== 'RESOLVED'
  const take = (step: Step) => ({ step, incidentId: incident?.id ?? null })
  if (!isFailing) return take(isOpen ? 'resolve' : 'close')
  if (!hasNewFailure || isOpen) return take('none')
  const isCoolingDown = incident !== null && now - incident.updatedAt < coolDownMinutes * minuteMs
  return take(isCoolingDown ? 'reopen' : 'open')
}

function updateOf(rule: failures.LockedRule, incidentId: string, isReopened: boolean): rules.RuleUpdate {
  const { accountId, id: ruleId, notifySubscribers } = rule
  return {
    accountId,
    ruleId,
    incidentId,
    updateId: randomUUID(),
    status: isReopened ? 'INVESTIGATING' : 'RESOLVED',
    description: isReopened ? rule.firstUpdate : rule.lastUpdate,
    notifySubscribers,
  }
}

/** A rule whose components are all gone, or have maintenance that suppresses incidents, opens nothing. */
async function openIncidents(
  client: Client,
  opened: readonly failures.LockedRule[],
  now: number,
): Promise<rules.NewRuleIncident[]> {
  if (opened.length === 0) return []
  const accountOf = new Map(opened.map(({ id, accountId }) => [id, accountId]))
  const held = (await rules.holdServicesOfRules(client, opened)).map((service) => ({
    ...service,
    accountId: accountOf.get(service.ruleId) ?? '',
  }))
  const suppressed = await listSuppressedServices(client, held, now)
  const touched = Map.groupBy(
    held.filter(({ serviceId }) => !suppressed.has(serviceId)),
    ({ ruleId }) => ruleId,
  )
  const incidents = opened.flatMap((rule): rules.NewRuleIncident[] => {
    const services = worstByService(touched.get(rule.id) ?? [])
    const [worst] = services.toSorted((a, b) => rank(a.severity) - rank(b.severity))
    if (worst === undefined) return []
    const { accountId, id: ruleId, name, firstUpdate, notifySubscribers } = rule
    const ids = { incidentId: randomUUID(), updateId: randomUUID() }
    const { severity } = worst
    return [
      { accountId, ruleId, ...ids, name, severity, description: firstUpdate, notifySubscribers, services },
    ]
  })
  if (incidents.length > 0) await rules.insertRuleIncidents(client, incidents, now)
  return incidents
}

type ImpactedService = rules.NewRuleIncident['services'][number]

const severityOf = {
  MAJOR_OUTAGE: 'CRITICAL',
  PARTIAL_OUTAGE: 'MAJOR',
  DEGRADED_PERFORMANCE: 'MEDIUM',
} as const satisfies Record<rules.ImpactedService['impact'], ImpactedService['severity']>

const worstFirst: readonly ImpactedService['severity'][] = ['CRITICAL', 'MAJOR', 'MEDIUM']

function rank(severity: ImpactedService['severity']): number {
  return worstFirst.indexOf(severity)
}

function worstByService(touched: readonly rules.ImpactedService[]): ImpactedService[] {
  const worst = new Map<string, ImpactedService>()
  for (const { serviceId: id, impact } of touched) {
    const severity = severityOf[impact]
    const known = worst.get(id)
    if (known === undefined || rank(severity) < rank(known.severity)) worst.set(id, { id, severity })
  }
  return [...worst.values()]
}
