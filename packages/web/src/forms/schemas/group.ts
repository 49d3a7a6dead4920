// The form of a check group.
import { assertionOptionsOf, CheckGroupInputV2, checkTypes } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'
import { valueAt, withValue } from '../values.ts'
import type { CheckFields } from './check.ts'

const fields = Object.keys(CheckGroupInputV2.shape)

/** What the requests of API checks in the group inherit can be asserted like those. */
export const groupAssertions = assertionOptionsOf(checkTypes.API)

export function newGroup(): CheckFields {
  return { ...CheckGroupInputV2.parse({ name: 'x' }), name: '' }
}

/** The fields that can be changed, of a group as it is read. */
export function groupValuesOf(group: CheckFields): CheckFields {
  const known = Object.entries(group).filter(([name]) => fields.includes(name))
  return { alertSettings: null, ...Object.fromEntries(known) }
}

export function groupBodyOf(values: CheckFields): CheckFields {
  let body = values
  for (const path of ['retryStrategy.maxRetries', 'retryStrategy.maxDurationSeconds'])
    if (valueAt(body, path) === null) body = withValue(body, path, undefined)
  return body
}

export function groupProblems(values: CheckFields, isStored: boolean): FieldProblem[] {
  return issuesOf(CheckGroupInputV2, groupBodyOf(values)).filter(
    ({ path }) => !isStored || !/^environmentVariables\.\d+\.value$/.test(path),
  )
}
