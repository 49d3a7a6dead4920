import {
  ApiError,
  createStatusPageAutomationRule,
  deleteStatusPageAutomationRule,
  getStatusPageAutomationRule,
  listStatusPageAutomationRules,
  type StatusPageAutomationRule,
  updateStatusPageAutomationRule,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import * as changes from '../../pages/use-cases/change-automation-rules.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import * as rules from '../../storage/pages/automation-rules.ts'
import { findStatusPage } from '../../storage/pages/status-pages.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function statusPageAutomationRuleRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listStatusPageAutomationRules, async ({ account, params }) => {
      const page = orNotFound(await findStatusPage(db, account.id, params.statusPageId))
      const serialized = (await rules.listAutomationRules(db, account.id, page.id)).map(serializeRule)
      return withProjectFields(db, account.id, 'status-page-automation-rule', serialized)
    }),
    handle(getStatusPageAutomationRule, async ({ account, params }) =>
      bind(db, account.id, await changes.findRule(db, account.id, params.statusPageId, params.ruleId)),
    ),
    handle(createStatusPageAutomationRule, ({ account, params, body }) =>
      transact(db, async (tx) =>
        serializeRule(await changes.createRule(tx, account.id, params.statusPageId, body, clock.now())),
      ),
    ),
    handle(updateStatusPageAutomationRule, ({ account, params, body }) =>
      transact(db, async (tx) =>
        bind(tx, account.id, await changes.updateRule(tx, account.id, params, body, clock.now())),
      ),
    ),
    handle(deleteStatusPageAutomationRule, async ({ account, params }) => {
      const { id } = await changes.findRule(db, account.id, params.statusPageId, params.ruleId)
      if (!(await rules.deleteAutomationRule(db, account.id, id))) throw new ApiError('not_found')
    }),
  ]
}

const bind = (db: Db, accountId: string, row: rules.AutomationRuleRow) =>
  withProjectFieldsOfOne(db, accountId, 'status-page-automation-rule', serializeRule(row))

function serializeRule(row: rules.AutomationRuleRow): z.output<typeof StatusPageAutomationRule> {
  return {
    id: row.id,
    statusPageId: row.status_page_id,
    name: row.name,
    enabled: row.enabled,
    tags: row.tags,
    firstUpdate: row.first_update,
    lastUpdate: row.last_update,
    notifySubscribers: row.notify_subscribers,
    coolDownWindowMinutes: row.cool_down_minutes,
    components: row.components,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
