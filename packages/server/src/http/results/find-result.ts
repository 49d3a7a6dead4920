import { scheduledAtOf } from '../../ingest/result-id.ts'
import { type CheckName, findCheckName } from '../../storage/checks/check-names.ts'
import type { Db } from '../../storage/core/db.ts'
import { findResult, type ResultRow } from '../../storage/results/result-reads.ts'
import { orNotFound } from '../transport/mount.ts'

/** With its evidence; 404 for a check of another account, and for an id that no result has. */
export async function requireResult(
  db: Db,
  accountId: string,
  { checkId, checkResultId }: { checkId: string; checkResultId: string },
): Promise<{ check: CheckName; row: ResultRow }> {
  const check = orNotFound(await findCheckName(db, accountId, checkId))
  const scheduledAt = orNotFound(scheduledAtOf(checkResultId))
  const of = { accountId, checkId: check.id, withDetail: true }
  return { check, row: orNotFound(await findResult(db, of, { id: checkResultId, scheduledAt })) }
}
