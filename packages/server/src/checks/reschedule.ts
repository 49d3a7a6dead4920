// After a check or a group has changed: when and where its checks run from now on. In the transaction of the change.
import { invalidInput } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import { planChecks } from '../schedule/plan.ts'
import { planHeartbeat, planHeartbeatsOfGroup } from '../storage/checks/heartbeat-plan.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'

/** Refuses an activated check that has no location, neither its own nor its group's: it could never run. */
export async function rescheduleCheck(
  tx: Db,
  clock: Clock,
  accountId: string,
  checkId: string,
): Promise<void> {
  const stranded = await planChecks(clientOf(tx), accountId, { checkIds: [checkId] }, clock.now())
  if (stranded.length > 0) {
    const message =
      'is empty and the check has no other location, so it could never run: send locations or privateLocations, ' +
      'put the check into a group that has locations, or send activated: false'
    throw invalidInput([{ path: ['locations'], message }])
  }
  await planHeartbeat(tx, accountId, checkId)
}

/** Refuses a change that leaves activated checks of the group without a location. */
export async function rescheduleGroup(
  tx: Db,
  clock: Clock,
  accountId: string,
  groupId: number,
): Promise<void> {
  const stranded = await planChecks(clientOf(tx), accountId, { groupId }, clock.now())
  if (stranded.length > 0) {
    const message =
      `would be empty, which leaves activated checks without any location: ${listNames(stranded)}. Send locations ` +
      'or privateLocations of the group, or give these checks locations of their own first'
    throw invalidInput([{ path: ['locations'], message }])
  }
  await planHeartbeatsOfGroup(tx, accountId, groupId)
}

const shownNames = 5

function listNames(names: string[]): string {
  const shown = names.slice(0, shownNames).map((name) => `"${name}"`)
  const others = names.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ')
}
