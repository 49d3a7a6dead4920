// After a check or a group has changed: when and where its checks run from now on. In the transaction of the change.
import type { Clock } from '../clock.ts'
import { planChecks } from '../schedule/plan.ts'
import type { Db } from '../storage/db.ts'
import { planHeartbeat, planHeartbeatsOfGroup } from '../storage/heartbeat-plan.ts'
import { clientOf } from '../storage/transaction.ts'

export async function planCheck(tx: Db, clock: Clock, accountId: string, checkId: string): Promise<void> {
  await planChecks(clientOf(tx), accountId, { checkIds: [checkId] }, clock.now())
  await planHeartbeat(tx, accountId, checkId)
}

export async function planGroup(tx: Db, clock: Clock, accountId: string, groupId: number): Promise<void> {
  await planChecks(clientOf(tx), accountId, { groupId }, clock.now())
  await planHeartbeatsOfGroup(tx, accountId, groupId)
}
