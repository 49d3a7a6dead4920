// What a schema finds, as sentences that go on after the name of the field: "is required", "must be at most 5".
import type { z } from 'zod'
import type { FieldIssue } from './errors.ts'

type Issue = z.core.$ZodIssue

/** All issues of a value; each names its field. The value must have been parsed with `reportInput`. */
export function fieldIssuesOf(issues: readonly Issue[], prefix: (string | number)[] = []): FieldIssue[] {
  return issues.flatMap((issue) => issuesOf(issue, prefix))
}

function issuesOf(issue: Issue, prefix: (string | number)[]): FieldIssue[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'invalid_union') {
    // The branch whose issues are deepest is most likely the one that was meant.
    const branches = issue.errors.filter((branch) => branch.length > 0)
    const best = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0]
    if (best !== undefined && depth(best) > 0) return best.flatMap((inner) => issuesOf(inner, path))
    if ('options' in issue && Array.isArray(issue.options)) {
      return [{ path, message: `must be one of ${issue.options.map(String).join(', ')}` }]
    }
  }
  return [{ path, message: wording(issue) }]
}

function depth(issues: Issue[]): number {
  return Math.max(...issues.map((issue) => issue.path.length))
}

function wording(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      // A schema may have its own message.
      return issue.message.startsWith('Invalid input') ? `must be ${article(issue.expected)}` : issue.message
    case 'invalid_value':
      return issue.input === undefined && issue.path.length > 0
        ? 'is required'
        : `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return bound(issue.origin, 'at least', issue.inclusive ? issue.minimum : `more than ${issue.minimum}`)
    case 'too_big':
      return bound(issue.origin, 'at most', issue.inclusive ? issue.maximum : `less than ${issue.maximum}`)
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? formatWording(issue.format) : issue.message
    case 'invalid_union':
      return 'has none of the allowed forms'
    default:
      return issue.message
  }
}

const formats: Record<string, string> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  email: 'an email address',
  datetime: 'an ISO 8601 date and time',
  date: 'an ISO 8601 date',
  url: 'a URL',
}

function formatWording(format: string): string {
  return `must be ${formats[format] ?? `a valid ${format}`}`
}

function bound(origin: string, words: string, value: unknown): string {
  if (origin === 'string') return `must have ${words} ${value} characters`
  if (origin === 'array') return `must have ${words} ${value} entries`
  return `must be ${words} ${value}`
}

function article(kind: string): string {
  if (kind === 'int') return 'a whole number'
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}
