// Which checks a session runs, and where. In: what was asked for. Out: checks that can run, with their places.
import { applyGroup, type CheckType, LocationId } from '@vedette/contracts'
import { neutralGroup } from '../schedule/neutral-group.ts'
import { queueOf } from '../schedule/queue.ts'
import { listRunnableChecks, type RunnableCheck } from '../storage/checks/runnable-checks.ts'
import type { Client } from '../storage/core/transaction.ts'
import { listPrivateLocationIds } from '../storage/runs/private-locations.ts'
import { matchTags } from './match-tags.ts'

export interface Target {
  matchTags?: string[][] | undefined
  checkId?: string[] | undefined
  groupId?: number | undefined
  allowDeactivated?: boolean | undefined
}

export interface Place {
  location: string
  /** Null for data centers. */
  privateLocationId: string | null
  queue: string
}

export interface ChosenCheck {
  id: string
  checkType: CheckType
  name: string
  places: Place[]
}

/** In the order of their group. Those without any place are among them. */
export async function chooseChecks(
  client: Client,
  accountId: string,
  target: Target,
): Promise<ChosenCheck[]> {
  const { checkId = [], groupId } = target
  const [rows, slugs] = [
    // choice: an empty list is no condition, as with tags.
    await listRunnableChecks(client, accountId, {
      checkIds: checkId.length === 0 ? undefined : checkId,
      groupId,
    }),
    await listPrivateLocationIds(client, accountId),
  ]
  return rows
    .map(effective)
    .filter(({ activated }) => activated || target.allowDeactivated === true)
    .filter(({ tags }) => matchTags(target.matchTags, tags))
    .map(({ id, checkType, name, locations, privateLocations }) => ({
      id,
      checkType,
      name,
      places: [...new Set([...(locations ?? []), ...(privateLocations ?? [])])].flatMap(
        (location) => placeOf(location, checkType, slugs) ?? [],
      ),
    }))
}

/** Null when there is no such location, in any data center or in the account. */
export function placeOf(
  location: string,
  checkType: CheckType,
  slugs: ReadonlyMap<string, string>,
): Place | null {
  if (LocationId.safeParse(location).success) {
    return { location, privateLocationId: null, queue: queueOf(location, checkType) }
  }
  const id = slugs.get(location)
  return id === undefined ? null : { location, privateLocationId: id, queue: queueOf(id, checkType) }
}

function effective(check: RunnableCheck) {
  const member = { ...check, muted: false }
  return check.group === null ? member : applyGroup(member, { ...neutralGroup, ...check.group })
}
