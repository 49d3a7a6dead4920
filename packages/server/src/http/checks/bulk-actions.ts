import {
  ApiError,
  type BulkAction,
  type BulkItem,
  createBulkAction,
  invalidInput,
  maxBulkChecks,
  roleAllows,
} from '@vedette/contracts'
import { type BulkOutcome, changeInBulk, previewBulk } from '../../checks/bulk-changes.ts'
import { summaryOf, undosOf, warningsOf } from '../../checks/plan-bulk.ts'
import { selectChecks } from '../../overview/select-checks.ts'
import { runInBulk } from '../../runs/run-in-bulk.ts'
import { findGroup } from '../../storage/checks/check-groups.ts'
import { wakeClaims } from '../runs/claim-wait.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function bulkActionRoutes(deps: Deps): Mounted[] {
  return [
    handle(createBulkAction, async ({ account, body }) => {
      requireRole(account, body)
      const group = await readTarget(deps, account, body)
      const ids = await readIds(deps, account, body)
      const preview = await previewBulk(deps.store.db, account.id, body, ids)
      const total = preview.changed.length + preview.unchanged.length
      requireExpected(body, total)
      const outcome = await carryOut(deps, account, body, { ids, preview })
      return {
        summary: summaryOf(body, outcome.changed.length),
        total,
        changed: outcome.changed.length,
        unchanged: outcome.unchanged.length,
        failed: outcome.failed.length,
        warnings: outcome.changed.length === 0 ? [] : warningsOf(body, outcome.changed, group),
        items: itemsOf(ids, outcome),
        undo: body.dryRun ? [] : undosOf(body, outcome.changed),
      }
    }),
  ]
}

function requireRole({ role }: AccountContext, { action }: BulkAction): void {
  if (action === 'run' || roleAllows(role, 'READ_WRITE')) return
  throw new ApiError('forbidden', {
    message: `This action requires READ_WRITE or higher; the key has ${role}.`,
  })
}

/** The group that checks are moved to. */
async function readTarget(
  { store, vault, clock }: Deps,
  { id: accountId }: AccountContext,
  body: BulkAction,
) {
  if (body.action === 'mute' && body.mutedUntil !== null && Date.parse(body.mutedUntil) <= clock.now())
    throw invalidInput([{ path: ['mutedUntil'], message: 'must be in the future' }])
  if (body.action !== 'moveToGroup' || body.groupId === null) return null
  const group = await findGroup(store.db, vault, accountId, body.groupId)
  if (group === null) throw invalidInput([{ path: ['groupId'], message: 'does not exist' }])
  const { locations, privateLocations, name } = group
  return { name, hasLocations: (locations ?? []).length + (privateLocations ?? []).length > 0 }
}

async function readIds(
  { overviews }: Deps,
  { id: accountId }: AccountContext,
  { selection }: BulkAction,
): Promise<string[]> {
  if ('checkIds' in selection) return [...new Set(selection.checkIds)]
  const overview = await overviews.read(accountId)
  const page = { sort: 'name', order: 'asc', limit: maxBulkChecks, offset: 0 } as const
  const { total, entries } = selectChecks(overview.entries, { ...selection.filter, ...page })
  if (total > maxBulkChecks)
    throw invalidInput([
      {
        path: ['selection', 'filter'],
        message: `matches ${total} checks; at most ${maxBulkChecks} can be changed at once`,
      },
    ])
  return entries.map(({ row }) => row.id)
}

function requireExpected({ action, dryRun, expectedCount }: BulkAction, total: number): void {
  if (dryRun) return
  if (expectedCount === undefined) {
    if (action !== 'delete') return
    const message = 'is required to delete checks: send how many are meant'
    throw invalidInput([{ path: ['expectedCount'], message }])
  }
  if (expectedCount !== total)
    throw new ApiError('conflict', {
      message: `${expectedCount} checks were expected, but the selection has ${total}. Nothing was changed.`,
    })
}

async function carryOut(
  { store, vault, clock }: Deps,
  { id: accountId }: AccountContext,
  body: BulkAction,
  { ids, preview }: { ids: readonly string[]; preview: BulkOutcome },
): Promise<BulkOutcome> {
  if (body.action === 'run') {
    const outcome = await runInBulk(store.db, accountId, ids, { now: clock.now(), isPreview: body.dryRun })
    if (!body.dryRun) wakeClaims()
    return outcome
  }
  return body.dryRun ? preview : changeInBulk(store.db, { accountId, vault, clock }, body, ids)
}

/** In the order of the selection. */
function itemsOf(ids: readonly string[], { changed, unchanged, failed }: BulkOutcome): BulkItem[] {
  const items = new Map<string, BulkItem>()
  for (const { id, name } of changed) items.set(id, { checkId: id, name, outcome: 'changed', reason: null })
  for (const { id, name } of unchanged)
    items.set(id, { checkId: id, name, outcome: 'unchanged', reason: null })
  for (const { check, reason } of failed)
    items.set(check.id, { checkId: check.id, name: check.name, outcome: 'failed', reason })
  return ids.flatMap((id) => items.get(id) ?? [])
}
