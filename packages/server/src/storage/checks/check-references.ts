// What a check points at must exist in its own account; rows are locked against deletion until the commit.
import type { CheckValues, FieldIssue } from '@vedette/contracts'
import type { Db } from '../core/db.ts'
import { listMissingReferences, type References } from './references.ts'

export async function listMissingCheckReferences(
  tx: Db,
  accountId: string,
  sent: CheckValues,
): Promise<FieldIssue[]> {
  return [
    ...(await missingGroup(tx, accountId, sent.groupId)),
    ...(await listMissingReferences(tx, accountId, sent as References)),
    ...(await missingService(tx, accountId, sent.triggerIncident)),
    ...(await missingBundle(tx, accountId, sent.codeBundlePath)),
  ]
}

/** An archive of another account doesn't exist here; a snapshot isn't an archive. */
async function missingBundle(tx: Db, accountId: string, path: unknown): Promise<FieldIssue[]> {
  if (typeof path !== 'string') return []
  const bundle = await tx
    .selectFrom('code_bundles')
    .select('path')
    .where('account_id', '=', accountId)
    .where('path', '=', path)
    .where('path', 'like', 'code-bundles/%')
    .forKeyShare()
    .executeTakeFirst()
  const message = 'does not exist: upload the archive with POST /v1/code-bundles and send the path it returns'
  return bundle === undefined ? [{ path: ['codeBundlePath'], message }] : []
}

async function missingGroup(tx: Db, accountId: string, groupId: unknown): Promise<FieldIssue[]> {
  if (typeof groupId !== 'number') return []
  const group = await tx
    .selectFrom('check_groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', groupId)
    .forKeyShare()
    .executeTakeFirst()
  return group === undefined ? [{ path: ['groupId'], message: 'does not exist' }] : []
}

async function missingService(tx: Db, accountId: string, triggerIncident: unknown): Promise<FieldIssue[]> {
  const serviceId = (triggerIncident as { serviceId: string } | null | undefined)?.serviceId
  if (serviceId === undefined) return []
  const service = await tx
    .selectFrom('status_page_services')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', serviceId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()
  return service === undefined ? [{ path: ['triggerIncident', 'serviceId'], message: 'does not exist' }] : []
}
