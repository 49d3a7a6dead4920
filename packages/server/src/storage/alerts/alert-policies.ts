// The settings that decide about alerts of a check: its own, those of its group, or those of the account.
import { AlertSettings } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'
import { isEnforced } from './check-facts.ts'

export interface AlertPolicy {
  accountId: string
  checkId: string
  checkType: string
  name: string
  /** The settings and subscriptions of the group apply. */
  isEnforced: boolean
  isActive: boolean
  isMuted: boolean
  settings: AlertSettings
  triggerIncident: TriggerIncident | null
  /** New errors are analyzed automatically: alerts wait a moment for the analysis. */
  isAnalyzed: boolean
  /** The account has automation rules of status pages. */
  hasRules: boolean
}

/** What is the same for all checks of an account. */
type AccountPolicy = Pick<AlertPolicy, 'settings' | 'isAnalyzed' | 'hasRules'>

interface TriggerIncident {
  serviceId: string
  severity: string
  name: string
  description: string
  notifySubscribers: boolean
}

// The rules of contracts/checks/effective.ts, for many checks at once. Null settings mean those of the account: most checks
// use them, and repeating the same text for each check would cost more than the rest of the query.
const policyText = `
  select c.account_id as "accountId", c.id as "checkId", c.check_type as "checkType", c.name,
    ${isEnforced} as "isEnforced", c.activated and coalesce(g.activated, true) as "isActive",
    c.muted or coalesce(g.muted, false) or coalesce(greatest(c.muted_until, g.muted_until) > to_timestamp($2 / 1000.0), false) as "isMuted",
    c.trigger_incident as "triggerIncident",
    (case
      when g.use_global_alert_settings is true then null
      when g.alert_settings is not null then g.alert_settings
      when not c.use_global_alert_settings then c.alert_settings
    end)::text as settings
  from checks c
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
  where c.id = any($1::uuid[])`

type PolicyRow = Omit<AlertPolicy, keyof AccountPolicy> & { settings: string | null }

/** By check id; deleted checks are absent. */
export async function readAlertPolicies(
  client: Client,
  checkIds: readonly string[],
  now: number,
): Promise<Map<string, AlertPolicy>> {
  const { rows } = await client.query<PolicyRow>({
    name: 'read_alert_policies',
    text: policyText,
    values: [checkIds, now],
  })
  const accounts = await readAccountPolicies(client, [...new Set(rows.map(({ accountId }) => accountId))])
  const policies = new Map<string, AlertPolicy>()
  for (const row of rows) {
    const account = accounts.get(row.accountId)
    if (account === undefined) continue
    const settings = row.settings === null ? account.settings : parseSettings(row.settings)
    policies.set(row.checkId, { ...row, ...account, settings })
  }
  return policies
}

async function readAccountPolicies(
  client: Client,
  accountIds: readonly string[],
): Promise<Map<string, AccountPolicy>> {
  const { rows } = await client.query<{
    id: string
    settings: string
    isAnalyzed: boolean
    hasRules: boolean
  }>({
    name: 'read_account_policies',
    text: `select id, alert_settings::text as settings,
        coalesce(settings -> 'automaticRootCauseAnalysis' = 'true', false) as "isAnalyzed",
        exists (select from status_page_automation_rules r where r.account_id = accounts.id) as "hasRules"
      from accounts where id = any($1::uuid[])`,
    values: [accountIds],
  })
  return new Map(
    rows.map(({ id, settings, ...account }) => [id, { ...account, settings: parseSettings(settings) }]),
  )
}

const cache = new Map<string, AlertSettings>()

/** Thousands of checks share a few settings: each text is parsed once. */
function parseSettings(text: string): AlertSettings {
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  if (cache.size > 1000) cache.clear()
  const settings = AlertSettings.parse(JSON.parse(text))
  cache.set(text, settings)
  return settings
}
