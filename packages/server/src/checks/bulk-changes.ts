// Changes or deletes many checks, in batches of one transaction each. A check that can't be changed is left out of its batch,
// with the reason.
import { ApiError, type BulkAction } from '@vedette/contracts'
import { type BulkCheck, readBulkChecks } from '../storage/checks/bulk-checks.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { type ChangeContext, deleteChecks, updateChecks } from './change-checks.ts'
import { changeOf } from './plan-bulk.ts'

/** Checks per transaction: its locks are held for about a second. */
export const bulkBatch = 1_000

export interface BulkOutcome {
  /** As they were before. */
  changed: BulkCheck[]
  unchanged: BulkCheck[]
  failed: { check: Pick<BulkCheck, 'id'> & { name: string | null }; reason: string }[]
}

export const missingReason = 'The account has no such check.'

/** What would happen. */
export async function previewBulk(
  db: Db,
  accountId: string,
  action: BulkAction,
  ids: readonly string[],
): Promise<BulkOutcome> {
  const checks = await readBulkChecks(db, accountId, ids, { isLocked: false })
  return divide(action, ids, checks)
}

export async function changeInBulk(
  db: Db,
  context: ChangeContext,
  action: BulkAction,
  ids: readonly string[],
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { changed: [], unchanged: [], failed: [] }
  for (let start = 0; start < ids.length; start += bulkBatch) {
    const part = await changeBatch(db, context, action, ids.slice(start, start + bulkBatch))
    outcome.changed.push(...part.changed)
    outcome.unchanged.push(...part.unchanged)
    outcome.failed.push(...part.failed)
  }
  return outcome
}

/** Tries again without the checks that were refused, until the others succeed. */
async function changeBatch(
  db: Db,
  context: ChangeContext,
  action: BulkAction,
  ids: readonly string[],
): Promise<BulkOutcome> {
  const refused: BulkOutcome['failed'] = []
  let rest = ids
  while (true) {
    let attempted: BulkOutcome | null = null
    try {
      const done = await transact(db, async (tx) => {
        const checks = await readBulkChecks(tx, context.accountId, rest, { isLocked: true })
        attempted = divide(action, rest, checks)
        await apply(tx, context, action, attempted.changed)
        return attempted
      })
      return { ...done, failed: [...done.failed, ...refused] }
    } catch (error) {
      const planned = changedOf(attempted)
      if (!(error instanceof ApiError) || error.status >= 500 || planned.length === 0) throw error
      const reasons = reasonsByIndex(error)
      const failing = planned.flatMap((check, index) => {
        const reason = reasons === null ? error.message : reasons.get(index)
        return reason === undefined ? [] : [{ check, reason }]
      })
      if (failing.length === 0) throw error
      refused.push(...failing)
      const gone = new Set(failing.map(({ check }) => check.id))
      rest = rest.filter((id) => !gone.has(id))
    }
  }
}

/** TypeScript doesn't see that the callback of a transaction assigns it. */
function changedOf(outcome: BulkOutcome | null): BulkCheck[] {
  return outcome?.changed ?? []
}

async function apply(
  tx: Db,
  context: ChangeContext,
  action: BulkAction,
  checks: readonly BulkCheck[],
): Promise<void> {
  if (checks.length === 0) return
  if (action.action === 'delete') {
    const ids = checks.map(({ id }) => id)
    return deleteChecks(tx, context.accountId, ids)
  }
  const updates = checks.map((check, index) => ({
    id: check.id,
    at: [index],
    read: () => changeOf(action, check) ?? {},
  }))
  await updateChecks(tx, context, updates)
}

function divide(
  action: BulkAction,
  ids: readonly string[],
  checks: ReadonlyMap<string, BulkCheck>,
): BulkOutcome {
  const outcome: BulkOutcome = { changed: [], unchanged: [], failed: [] }
  for (const id of ids) {
    const check = checks.get(id)
    if (check === undefined) outcome.failed.push({ check: { id, name: null }, reason: missingReason })
    else if (changeOf(action, check) === null) outcome.unchanged.push(check)
    else outcome.changed.push(check)
  }
  return outcome
}

/** Issues begin with the index of their check. Null: the error is about all of them. */
function reasonsByIndex({ attributes, code }: ApiError): Map<number, string> | null {
  if (code !== 'invalid_input') return null
  const reasons = new Map<number, string>()
  for (const [path, message] of Object.entries(attributes)) {
    const [index = '', ...field] = path.split('.')
    if (!/^\d+$/.test(index)) return null
    const known = reasons.get(Number(index))
    const sentence = `${field.join('.')} ${message}`
    reasons.set(Number(index), known === undefined ? sentence : `${known}; ${sentence}`)
  }
  return reasons
}
