// Creates and changes automation rules of a status page, in the transaction of the caller. The page is locked, so that no
// component is removed meanwhile.
import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type BodyOf,
  type createStatusPageAutomationRule,
  invalidInput,
  rulesPerPage,
  type updateStatusPageAutomationRule,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import * as rules from '../../storage/pages/automation-rules.ts'
import { listStatusPageComponents } from '../../storage/pages/status-page-components.ts'
import { lockStatusPage } from '../../storage/pages/status-pages.ts'

type Input = BodyOf<typeof createStatusPageAutomationRule>
type Update = BodyOf<typeof updateStatusPageAutomationRule>

export async function createRule(
  tx: Db,
  accountId: string,
  pageId: string,
  input: Input,
  now: number,
): Promise<rules.AutomationRuleRow> {
  const page = orNotFound(await lockStatusPage(tx, accountId, pageId))
  const existing = await rules.listAutomationRules(tx, accountId, page.id)
  if (existing.length >= rulesPerPage) {
    throw new ApiError('conflict', { message: `A status page has at most ${rulesPerPage} automation rules.` })
  }
  const components = await requireComponents(tx, accountId, page.id, input.components)
  const row = await rules.insertAutomationRule(tx, {
    id: randomUUID(),
    account_id: accountId,
    status_page_id: page.id,
    name: input.name,
    enabled: input.enabled,
    tags: input.tags,
    first_update: input.firstUpdate,
    last_update: input.lastUpdate,
    notify_subscribers: input.notifySubscribers,
    cool_down_minutes: input.coolDownWindowMinutes,
    created_at: new Date(now),
  })
  await rules.replaceRuleComponents(tx, row, components)
  return { ...row, components }
}

export async function updateRule(
  tx: Db,
  accountId: string,
  { statusPageId, ruleId }: { statusPageId: string; ruleId: string },
  input: Update,
  now: number,
): Promise<rules.AutomationRuleRow> {
  const page = orNotFound(await lockStatusPage(tx, accountId, statusPageId))
  const before = await findRule(tx, accountId, page.id, ruleId)
  const row = await rules.updateAutomationRule(tx, accountId, before.id, {
    name: input.name,
    enabled: input.enabled,
    tags: input.tags,
    first_update: input.firstUpdate,
    last_update: input.lastUpdate,
    notify_subscribers: input.notifySubscribers,
    cool_down_minutes: input.coolDownWindowMinutes,
    updated_at: new Date(now),
  })
  if (input.components === undefined) return { ...orNotFound(row), components: before.components }
  const components = await requireComponents(tx, accountId, page.id, input.components)
  await rules.replaceRuleComponents(tx, orNotFound(row), components)
  return { ...orNotFound(row), components }
}

export async function findRule(
  db: Db,
  accountId: string,
  pageId: string,
  ruleId: string,
): Promise<rules.AutomationRuleRow> {
  const all = await rules.listAutomationRules(db, accountId, pageId)
  return orNotFound(all.find(({ id }) => id === ruleId.toLowerCase()))
}

async function requireComponents(
  tx: Db,
  accountId: string,
  pageId: string,
  mentioned: Input['components'],
): Promise<rules.RuleComponent[]> {
  const all = await listStatusPageComponents(tx, accountId, [pageId])
  const known = new Set(all.map(({ id }) => id))
  const components = mentioned.map((mention) => ({
    ...mention,
    componentId: mention.componentId.toLowerCase(),
  }))
  const issues = components.flatMap(({ componentId }, index) =>
    known.has(componentId)
      ? []
      : [{ path: ['components', index, 'componentId'], message: "isn't a component of this status page" }],
  )
  if (issues.length > 0) throw invalidInput(issues)
  return components
}
