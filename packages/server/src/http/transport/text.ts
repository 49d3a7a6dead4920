import { type FieldIssue, invalidInput } from '@vedette/contracts'
import { maxDepth } from './json-limits.ts'

/**
 * Refuses text that PostgreSQL can't store (NUL characters, lone surrogates) and the field name `__proto__`, and names the
 * field, instead of failing in a query.
 */
export function refuseUnstorable(value: unknown): void {
  const issues: FieldIssue[] = []
  collectIssues(value, [], issues)
  if (issues.length > 0) throw invalidInput(issues)
}

function collectIssues(value: unknown, path: (string | number)[], issues: FieldIssue[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) issues.push({ path, message: 'must not hold NUL characters or lone surrogates' })
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= maxDepth) {
      issues.push({ path: path.slice(0, 4), message: `must not be nested deeper than ${maxDepth} levels` })
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) collectIssues(value[index], [...path, index], issues)
    } else {
      for (const [name, item] of Object.entries(value)) {
        if (!isStorable(name) || name === '__proto__') {
          issues.push({ path, message: 'has a field name that is not allowed' })
        } else collectIssues(item, [...path, name], issues)
      }
    }
  }
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
