// What differs between two states of a resource, field by field.
import { isRecord } from './is-record.ts'

export interface ChangedField {
  /** Such as request.url. */
  field: string
  before: unknown
  after: unknown
}

/** They change by themselves. */
const derived = new Set([
  ...['created_at', 'createdAt', 'updated_at', 'updatedAt', 'id'],
  ...['state', 'since', 'reason', 'lastState', 'lastRunAt', 'nextRunAt', 'staleLocations'],
])
const maxFields = 60
const maxChars = 2_000

/** Null: it didn't exist. Objects are compared field by field, lists as a whole. */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const changes: ChangedField[] = []
  const compare = (field: string, old: unknown, now: unknown) => {
    if (isRecord(old ?? {}) && isRecord(now ?? {}) && (isRecord(old) || isRecord(now))) {
      const [left, right] = [isRecord(old) ? old : {}, isRecord(now) ? now : {}]
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        if (field === '' && derived.has(name)) continue
        compare(field === '' ? name : `${field}.${name}`, left[name], right[name])
      }
      return
    }
    if (JSON.stringify(old ?? null) === JSON.stringify(now ?? null) || field === '') return
    changes.push({ field, before: shorten(old), after: shorten(now) })
  }
  compare('', before, after)
  return changes.slice(0, maxFields)
}

function shorten(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  if (text.length <= maxChars) return value ?? null
  return `${text.slice(0, maxChars)}…`
}
