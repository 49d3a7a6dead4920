// Plans again when and where checks run, in the transaction that changes them or their group.
import { invalidInput } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import { planChecks } from '../schedule/plan.ts'
import { planHeartbeats } from '../storage/checks/heartbeat-plan.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'

export interface RescheduledCheck {
  id: string
  /** The path that issues of this check begin with. */
  at?: readonly (string | number)[] | undefined
}

/** Refuses activated checks that have no location of their own or of their group: they could never run. */
export async function rescheduleChecks(
  tx: Db,
  clock: Clock,
  accountId: string,
  checks: readonly RescheduledCheck[],
): Promise<void> {
  const checkIds = checks.map(({ id }) => id)
  const stranded = await planChecks(clientOf(tx), accountId, { checkIds }, clock.now())
  if (stranded.length > 0) {
    const message =
      'is empty and the check has no other location, so it could never run: send locations or privateLocations, ' +
      'put the check into a group that has locations, or send activated: false'
    const pathOf = new Map(checks.map(({ id, at = [] }) => [id, [...at, 'locations']]))
    throw invalidInput(stranded.map(({ id }) => ({ path: pathOf.get(id) ?? ['locations'], message })))
  }
  await planHeartbeats(tx, accountId, { checkIds })
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
    const names = listNames(stranded.map(({ name }) => name))
    const message =
      `would be empty, which leaves activated checks without any location: ${names}. Send locations ` +
      'or privateLocations of the group, or give these checks locations of their own first'
    throw invalidInput([{ path: ['locations'], message }])
  }
  await planHeartbeats(tx, accountId, { groupId })
}

const shownNames = 5

function listNames(names: string[]): string {
  const shown = names.slice(0, shownNames).map((name) => `"${name}"`)
  const others = names.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ')
}
