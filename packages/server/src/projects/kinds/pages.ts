// Services, status pages, their components and rules, and dashboards.
import { randomUUID } from 'node:crypto'
import {
  DashboardInput,
  StatusPageAutomationRuleInput,
  StatusPageComponentInput,
  StatusPageInput,
  StatusPageServiceInput,
  Uuid,
} from '@vedette/contracts'
import { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { createRule, updateRule } from '../../pages/use-cases/change-automation-rules.ts'
import { changeDashboard, createDashboard } from '../../pages/use-cases/change-dashboards.ts'
import {
  createComponent,
  deleteComponent,
  updateComponent,
} from '../../pages/use-cases/change-status-page-components.ts'
import {
  createStatusPage,
  deleteStatusPage,
  replaceStatusPage,
} from '../../pages/use-cases/change-status-pages.ts'
import { deleteService } from '../../pages/use-cases/services.ts'
import { deleteAutomationRule, findAutomationRules } from '../../storage/pages/automation-rules.ts'
import { deleteDashboard, findDashboardById } from '../../storage/pages/dashboards.ts'
import { findComponents } from '../../storage/pages/status-page-components.ts'
import { insertStatusPageService, updateStatusPageService } from '../../storage/pages/status-page-services.ts'
import { type DeployContext, each, integerId, type ResourceKind, readWith } from './kind.ts'

const pageContext = ({ clock, ownHosts, vault }: DeployContext) => ({ now: clock.now(), ownHosts, vault })

export const serviceKind: ResourceKind<z.output<typeof StatusPageServiceInput>> = {
  read: (payload) => readWith(StatusPageServiceInput, payload),
  create: (tx, { accountId }, items) =>
    each(items, async ({ input }) => {
      const values = { id: randomUUID(), account_id: accountId, name: input.name }
      return (await insertStatusPageService(tx, values)).id
    }),
  async update(tx, { accountId, clock }, items) {
    await each(items, async ({ input, physicalId }) => {
      const values = { name: input.name, updated_at: new Date(clock.now()) }
      orNotFound(await updateStatusPageService(tx, accountId, String(physicalId), values))
    })
    return undefined
  },
  async remove(tx, { accountId, clock }, items) {
    await each(items, ({ physicalId }) => deleteService(tx, accountId, String(physicalId), clock.now()))
  },
}

export const statusPageKind: ResourceKind<z.output<typeof StatusPageInput>> = {
  read: (payload) => readWith(StatusPageInput, payload),
  create: (tx, context, items) =>
    each(items, async ({ input }) => {
      const { row } = await createStatusPage(tx, context.accountId, input, pageContext(context))
      return row.id
    }),
  async update(tx, context, items) {
    await each(items, ({ input, physicalId }) =>
      replaceStatusPage(tx, context.accountId, String(physicalId), input, pageContext(context)),
    )
    return undefined
  },
  async remove(tx, { accountId, clock }, items) {
    await each(items, ({ physicalId }) => deleteStatusPage(tx, accountId, String(physicalId), clock.now()))
  },
}

const OnPage = z.object({ statusPageId: Uuid.toLowerCase() })

interface OnPage<Input> {
  statusPageId: string
  values: Input
}

function readOnPage<S extends z.ZodType>(schema: S, payload: unknown) {
  const page = readWith(OnPage, payload)
  const read = readWith(schema, payload)
  if ('issues' in page || 'issues' in read)
    return { issues: [...('issues' in page ? page.issues : []), ...('issues' in read ? read.issues : [])] }
  return { input: { statusPageId: page.input.statusPageId, values: read.input } }
}

export const componentKind: ResourceKind<OnPage<z.output<typeof StatusPageComponentInput>>> = {
  read: (payload) => readOnPage(StatusPageComponentInput, payload),
  create: (tx, { accountId, clock }, items) =>
    each(items, async ({ input: { statusPageId, values } }) => {
      return (await createComponent(tx, accountId, statusPageId, values, clock.now())).id
    }),
  async update(tx, { accountId, clock }, items) {
    await each(items, ({ input: { statusPageId, values }, physicalId }) => {
      const of = { statusPageId, componentId: String(physicalId) }
      // Without a place among its siblings, it keeps the one it has.
      return updateComponent(tx, accountId, of, { ...values, serviceId: undefined }, clock.now())
    })
    return undefined
  },
  async remove(tx, { accountId, clock }, items) {
    const stored = await findComponents(tx, accountId, idsOf(items))
    // What is in a group is removed before it. Those of a page that was removed are gone.
    const depthOf = (id: string): number => {
      const { parentId = null } = stored.get(id) ?? {}
      return parentId === null ? 0 : 1 + depthOf(parentId)
    }
    const left = items.filter(({ physicalId }) => stored.has(String(physicalId)))
    const deepest = left.toSorted((a, b) => depthOf(String(b.physicalId)) - depthOf(String(a.physicalId)))
    await each(deepest, async ({ physicalId }) => {
      const { statusPageId = '' } = stored.get(String(physicalId)) ?? {}
      await deleteComponent(tx, accountId, { statusPageId, componentId: String(physicalId) }, clock.now())
    })
  },
  async listReplaced(tx, accountId, items) {
    const stored = await findComponents(tx, accountId, idsOf(items))
    return items
      .filter(({ physicalId, payload }) => {
        const row = stored.get(String(physicalId))
        return row?.statusPageId !== payload.statusPageId || row?.type !== (payload.type ?? 'SERVICE')
      })
      .map(({ physicalId }) => physicalId)
  },
}

export const ruleKind: ResourceKind<OnPage<z.output<typeof StatusPageAutomationRuleInput>>> = {
  read: (payload) => readOnPage(StatusPageAutomationRuleInput, payload),
  create: (tx, { accountId, clock }, items) =>
    each(items, async ({ input: { statusPageId, values } }) => {
      return (await createRule(tx, accountId, statusPageId, values, clock.now())).id
    }),
  async update(tx, { accountId, clock }, items) {
    await each(items, ({ input: { statusPageId, values }, physicalId }) =>
      updateRule(tx, accountId, { statusPageId, ruleId: String(physicalId) }, values, clock.now()),
    )
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await each(items, ({ physicalId }) => deleteAutomationRule(tx, accountId, String(physicalId)))
  },
  async listReplaced(tx, accountId, items) {
    const stored = await findAutomationRules(tx, accountId, idsOf(items))
    return items
      .filter(({ physicalId, payload }) => stored.get(String(physicalId)) !== payload.statusPageId)
      .map(({ physicalId }) => physicalId)
  },
}

export const dashboardKind: ResourceKind<z.output<typeof DashboardInput>> = {
  read: (payload) => readWith(DashboardInput, payload),
  create: (tx, context, items) =>
    each(items, async ({ input }) => {
      const row = await createDashboard(tx, context.accountId, input, pageContext(context))
      return row.id
    }),
  async update(tx, context, items) {
    await each(items, async ({ input, physicalId }) => {
      const { accountId } = context
      const row = orNotFound(await findDashboardById(tx, accountId, integerId(physicalId)))
      const change = { ...input, link: input.link ?? null }
      await changeDashboard(tx, accountId, row.dashboard_id, change, pageContext(context))
    })
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await each(items, async ({ physicalId }) => {
      const row = await findDashboardById(tx, accountId, integerId(physicalId))
      if (row !== null) await deleteDashboard(tx, accountId, row.dashboard_id)
    })
  },
}

function idsOf(items: readonly { physicalId: string | number }[]): string[] {
  return items.map(({ physicalId }) => String(physicalId))
}
