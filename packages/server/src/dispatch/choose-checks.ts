// Which checks a session runs, and where. In: the target of a request. Out: the checks with their locations.
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

export interface RunLocation {
  location: string
  /** Null for data centers. */
  privateLocationId: string | null
  queue: string
}

export interface ChosenCheck {
  id: string
  checkType: CheckType
  name: string
  runLocations: RunLocation[]
}

/** In the order of their group. Checks without a location are included. */
export async function chooseChecks(
  client: Client,
  accountId: string,
  target: Target,
): Promise<ChosenCheck[]> {
  const { checkId = [], groupId } = target
  const [rows, privateIds] = [
    // choice: an empty list matches all checks, as with tags.
    await listRunnableChecks(client, accountId, {
      checkIds: checkId.length === 0 ? undefined : checkId,
      groupId,
    }),
    await listPrivateLocationIds(client, accountId),
  ]
  return rows
    .map(applyOwnGroup)
    .filter(({ activated }) => activated || target.allowDeactivated === true)
    .filter(({ tags }) => matchTags(target.matchTags, tags))
    .map(({ id, checkType, name, locations, privateLocations }) => ({
      id,
      checkType,
      name,
      runLocations: [...new Set([...(locations ?? []), ...(privateLocations ?? [])])].flatMap(
        (location) => resolveLocation(location, checkType, privateIds) ?? [],
      ),
    }))
}

/** `privateIds`: by slug. Null if the location doesn't exist. */
export function resolveLocation(
  location: string,
  checkType: CheckType,
  privateIds: ReadonlyMap<string, string>,
): RunLocation | null {
  if (LocationId.safeParse(location).success) {
    return { location, privateLocationId: null, queue: queueOf(location, checkType) }
  }
  const id = privateIds.get(location)
  return id === undefined ? null : { location, privateLocationId: id, queue: queueOf(id, checkType) }
}

function applyOwnGroup(check: RunnableCheck) {
  const member = { ...check, muted: false }
  return check.group === null ? member : applyGroup(member, { ...neutralGroup, ...check.group })
}
