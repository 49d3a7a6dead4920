// What a check points at must exist in its own account; rows are locked against deletion until the commit.
import type { CheckValues, FieldIssue } from '@vedette/contracts'
import type { Db } from './db.ts'
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
  ]
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
    .forKeyShare()
    .executeTakeFirst()
  return service === undefined ? [{ path: ['triggerIncident', 'serviceId'], message: 'does not exist' }] : []
}
