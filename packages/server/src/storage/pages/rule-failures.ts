// Which checks fail for which automation rules, inside the transaction that decides alerts. A rule is locked before anything of
// it is read, so that two servers open one incident.
import type { Client } from '../core/transaction.ts'
import type { CheckRef } from './triggered-incidents.ts'

export interface LockedRule {
  accountId: string
  id: string
  name: string
  firstUpdate: string
  lastUpdate: string
  notifySubscribers: boolean
  coolDownMinutes: number
}

const ruleColumns = `r.account_id as "accountId", r.id, r.name, r.first_update as "firstUpdate",
  r.last_update as "lastUpdate", r.notify_subscribers as "notifySubscribers", r.cool_down_minutes as "coolDownMinutes"`

/** Of the check `c` in the group `g`, or without one. */
const matches = '(r.tags && c.tags or r.tags && g.tags)'

const askedChecks = `unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
  join checks c on c.account_id = asked.account_id and c.id = asked.check_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`

const countingChecks = `join checks c on c.account_id = held.account_id and c.id = held.check_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`

const counts = `c.activated and coalesce(g.activated, true) and ${matches}`

/** Locks the rules that match failed checks, and those whose incident the ended ones keep open. */
export async function lockRulesOfChecks(
  client: Client,
  failed: readonly CheckRef[],
  ended: readonly CheckRef[],
): Promise<LockedRule[]> {
  const { rows } = await client.query<LockedRule>(
    `select ${ruleColumns} from status_page_automation_rules r
     where r.id in (
       select r.id from ${askedChecks}
       join status_page_automation_rules r on r.account_id = c.account_id and r.enabled and ${matches}
       union
       select held.rule_id from unnest($3::uuid[], $4::uuid[]) as ended (account_id, check_id)
       join status_page_rule_failures held
         on held.account_id = ended.account_id and held.check_id = ended.check_id
     )
     order by r.id
     for no key update of r`,
    [...columnsOf(failed), ...columnsOf(ended)],
  )
  return rows
}

/**
 * Locks rules with an open incident that no check keeps open: its checks were deleted, deactivated, or no longer have a tag
 * of the rule. Rules that another server has locked are left for later.
 */
export async function lockIdleRules(client: Client, limit: number): Promise<LockedRule[]> {
  const { rows } = await client.query<LockedRule>(
    `select ${ruleColumns} from status_page_rule_incidents last
     join status_page_automation_rules r on r.account_id = last.account_id and r.id = last.rule_id
     where last.is_open and not exists (
       select from status_page_rule_failures held ${countingChecks} where held.rule_id = r.id and ${counts})
     order by r.id
     limit $1
     for no key update of r skip locked`,
    [limit],
  )
  return rows
}

/** The rules among the locked ones that these failed checks match. The checks keep their incidents open from now on. */
export async function insertRuleFailures(
  client: Client,
  rules: readonly LockedRule[],
  failed: readonly CheckRef[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ accountId: string; ruleId: string; checkId: string }>(
    `select c.account_id as "accountId", r.id as "ruleId", c.id as "checkId" from ${askedChecks}
     join status_page_automation_rules r
       on r.account_id = c.account_id and r.id = any($3::uuid[]) and r.enabled and ${matches}
     order by c.id, r.id
     for key share of c`,
    [...columnsOf(failed), rules.map(({ id }) => id)],
  )
  await client.query(
    `insert into status_page_rule_failures (account_id, rule_id, check_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) on conflict do nothing`,
    [
      rows.map(({ accountId }) => accountId),
      rows.map(({ ruleId }) => ruleId),
      rows.map(({ checkId }) => checkId),
    ],
  )
  return new Set(rows.map(({ ruleId }) => ruleId))
}

export async function deleteRuleFailures(
  client: Client,
  rules: readonly LockedRule[],
  checks: readonly CheckRef[],
): Promise<void> {
  await client.query(
    `delete from status_page_rule_failures held
     using unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
     where held.account_id = asked.account_id and held.check_id = asked.check_id and held.rule_id = any($3::uuid[])`,
    [...columnsOf(checks), rules.map(({ id }) => id)],
  )
}

/** Deletes those of checks that don't count any more. */
export async function deleteIdleFailures(client: Client, rules: readonly LockedRule[]): Promise<void> {
  await client.query(
    `delete from status_page_rule_failures held
     where held.rule_id = any($1::uuid[]) and not exists (
       select from status_page_automation_rules r ${countingChecks} where r.id = held.rule_id and ${counts})`,
    [rules.map(({ id }) => id)],
  )
}

function columnsOf(checks: readonly CheckRef[]): [string[], string[]] {
  return [checks.map(({ accountId }) => accountId), checks.map(({ checkId }) => checkId)]
}
