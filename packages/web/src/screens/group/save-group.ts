// Stores what is in the form of a group.
import { call } from '../../api/call.ts'
import type { CheckFields } from '../../forms/schemas/check.ts'
import { groupBodyOf } from '../../forms/schemas/group.ts'
import type { Change } from '../../forms/values.ts'

export function createGroup(values: CheckFields) {
  return call('POST /v2/check-groups', { body: bodyOf(groupBodyOf(values)) })
}

/** Only what changed. 412 if someone else has changed it since `version`. */
export function updateGroup(
  { id, version }: { id: number; version: string },
  values: CheckFields,
  changes: readonly Change[],
) {
  const names = new Set(changes.map(({ path }) => path.split('.')[0] ?? ''))
  const changed = Object.entries(groupBodyOf(values)).filter(([name]) => names.has(name))
  const body = bodyOf(Object.fromEntries(changed))
  return call('PUT /v2/check-groups/{id}', { params: { id }, body, ifMatch: version })
}

/** The schema has judged the values; the compiler can't relate both. */
function bodyOf(fields: CheckFields): never {
  return fields as never
}
