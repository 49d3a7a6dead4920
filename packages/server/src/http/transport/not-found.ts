// Names what a path led to nothing. The text is the same for ids of other accounts: it says nothing about them.
import type { AnyRoute } from '@vedette/contracts'

/** "No check with id 42 in this account."; null where the path has no parameter. */
export function describeMissing({ path, access }: AnyRoute, params: unknown): string | null {
  const parts = path.split('/')
  const steps = parts.flatMap((part, index) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name === undefined) return []
    const value = String((params as Record<string, unknown>)[name] ?? '').slice(0, 200)
    const kind = /id$/i.test(name) ? 'id' : name
    return [`${nounOf(parts.slice(0, index))} with ${kind} ${value}`]
  })
  const [last, ...others] = steps.reverse()
  if (last === undefined || access === 'public' || access === 'agent') return null
  return `No ${[last, ...others].join(' of the ')} in this account.`
}

const typesInPath = new Set([
  'api',
  'browser',
  'multistep',
  'heartbeat',
  'icmp',
  'tcp',
  'playwright',
  'url',
  'dns',
  'agentic',
])

/** Of the segments before a parameter: `/v1/checks/url` is a "URL check". */
function nounOf(segments: string[]): string {
  const words = segments.filter((segment) => !/^(v\d+|next|\{.*\})?$/.test(segment))
  const last = words.at(-1) ?? 'resource'
  if (typesInPath.has(last)) return `${last} check`
  return singular(last).replaceAll('-', ' ')
}

function singular(word: string): string {
  if (word.endsWith('analyses')) return word.replace(/analyses$/, 'analysis')
  if (word.endsWith('statuses')) return word.replace(/statuses$/, 'status')
  return word.replace(/s$/, '')
}
