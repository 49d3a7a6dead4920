// The automation rules of status pages, each with its components in their order.
import type { ComponentImpact } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export interface RuleComponent {
  componentId: string
  targetImpact: z.output<typeof ComponentImpact>
}

type RuleRow = Selectable<Tables['status_page_automation_rules']>

export type AutomationRuleRow = RuleRow & { components: RuleComponent[] }

export const {
  insert: insertAutomationRule,
  update: updateAutomationRule,
  delete: deleteAutomationRule,
} = accountRows('status_page_automation_rules')

/** By their creation. */
export async function listAutomationRules(
  db: Db,
  accountId: string,
  pageId: string,
): Promise<AutomationRuleRow[]> {
  const rules = await db
    .selectFrom('status_page_automation_rules')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const components = await db
    .selectFrom('status_page_rule_components')
    .select(['rule_id', 'component_id as componentId', 'impact as targetImpact'])
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .orderBy('position')
    .execute()
  const componentsOf = Map.groupBy(components, ({ rule_id }) => rule_id)
  return rules.map((rule) => ({ ...rule, components: componentsOf.get(rule.id) ?? [] }))
}

/** The pages of rules, by the id of the rule. */
export async function findAutomationRules(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('status_page_automation_rules')
    .select(['id', 'status_page_id'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, status_page_id }) => [id, status_page_id]))
}

export async function replaceRuleComponents(
  tx: Db,
  { account_id, status_page_id, id: rule_id }: RuleRow,
  components: readonly RuleComponent[],
): Promise<void> {
  await tx
    .deleteFrom('status_page_rule_components')
    .where('account_id', '=', account_id)
    .where('rule_id', '=', rule_id)
    .execute()
  const rows = components.map(({ componentId, targetImpact }, position) => ({
    account_id,
    status_page_id,
    rule_id,
    component_id: componentId,
    position,
    impact: targetImpact,
  }))
  await tx.insertInto('status_page_rule_components').values(rows).execute()
}
