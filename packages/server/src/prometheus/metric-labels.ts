// The labels of a check's Prometheus metrics. Pure.
import type { MeasuredCheck } from '../storage/accounts/account-metrics.ts'
import type { Labels } from './exposition.ts'

/** Reserved labels, which tags can't set. */
const reserved = new Set([
  'name',
  'check_id',
  'check_type',
  'muted',
  'activated',
  'group',
  'tags',
  'status',
  'location',
  'phase',
  'le',
  'job',
  'instance',
])

export function labelsOf(check: MeasuredCheck, parseTags: boolean): Labels {
  const { own, plain } = parseTags ? splitTags(check.tags) : { own: {}, plain: check.tags }
  return {
    name: check.name,
    check_id: check.id,
    check_type: check.checkType,
    muted: String(check.muted),
    activated: String(check.activated),
    group: check.group ?? '',
    tags: plain.join(','),
    ...own,
  }
}

/** `team:shop` becomes team="shop"; several values of one key are joined by commas. */
function splitTags(tags: string[]): { own: Record<string, string>; plain: string[] } {
  const own = new Map<string, string>()
  const plain: string[] = []
  for (const tag of tags) {
    const colon = tag.indexOf(':')
    const key = labelName(tag.slice(0, Math.max(0, colon)))
    if (key === null) {
      plain.push(tag)
      continue
    }
    const before = own.get(key)
    const value = tag.slice(colon + 1)
    own.set(key, before === undefined ? value : `${before},${value}`)
  }
  return { own: Object.fromEntries(own), plain }
}

/** Null: not a valid label. Prometheus reserves names that begin with two underscores. */
function labelName(key: string): string | null {
  const name = key.trim().replace(/[^A-Za-z0-9_]/g, '_')
  if (!/^[A-Za-z_]/.test(name) || name.startsWith('__') || reserved.has(name)) return null
  return name
}
