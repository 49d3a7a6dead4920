// Runs many checks on request, in batches of one transaction each.
import { ApiError } from '@vedette/contracts'
import { type BulkOutcome, bulkBatch, missingReason } from '../checks/bulk-changes.ts'
import { type BulkCheck, readBulkChecks } from '../storage/checks/bulk-checks.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { triggerChecks } from './trigger-checks.ts'

/** `isPreview`: nothing is started. */
export async function runInBulk(
  db: Db,
  accountId: string,
  ids: readonly string[],
  { now, isPreview }: { now: number; isPreview: boolean },
): Promise<BulkOutcome> {
  const checks = await readBulkChecks(db, accountId, ids, { isLocked: false })
  const outcome: BulkOutcome = { changed: [], unchanged: [], failed: [] }
  const runnable: BulkCheck[] = []
  for (const id of ids) {
    const check = checks.get(id)
    const reason = check === undefined ? missingReason : reasonNotToRun(check)
    if (reason !== null) outcome.failed.push({ check: check ?? { id, name: null }, reason })
    else if (check !== undefined) runnable.push(check)
  }
  for (let start = 0; start < runnable.length; start += bulkBatch) {
    const batch = runnable.slice(start, start + bulkBatch)
    const started = isPreview ? null : await trigger(db, accountId, batch, now)
    for (const check of batch) {
      if (started === null || started.has(check.id)) outcome.changed.push(check)
      else outcome.failed.push({ check, reason: 'It has no location to run in.' })
    }
  }
  return outcome
}

function reasonNotToRun({ checkType, activated, isGroupActivated }: BulkCheck): string | null {
  if (checkType === 'HEARTBEAT') return 'Heartbeat monitors wait for pings.'
  if (!activated) return 'It is paused.'
  return isGroupActivated ? null : 'Its group is paused.'
}

async function trigger(
  db: Db,
  accountId: string,
  batch: readonly BulkCheck[],
  now: number,
): Promise<Set<string | null>> {
  const request = { accountId, target: { checkId: batch.map(({ id }) => id) } }
  try {
    const sessions = await transact(db, (tx) => triggerChecks(tx, request, now))
    return new Set(sessions.map(({ check_id }) => check_id))
  } catch (error) {
    // None of them can run.
    if (error instanceof ApiError && error.code === 'not_found') return new Set()
    throw error
  }
}
