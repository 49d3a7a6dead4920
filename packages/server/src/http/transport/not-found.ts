// The message of a 404. It is the same for ids that exist in other accounts.
import type { AnyRoute } from '@vedette/contracts'

/** For example "No check with id 42 in this account."; null if the path has no parameter. */
export function describeMissing({ path, access }: AnyRoute, params: Record<string, string>): string | null {
  const parts = path.split('/')
  const steps = parts.flatMap((part, index) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name === undefined) return []
    const kind = /id$/i.test(name) ? 'id' : name
    return [`${nounOf(parts.slice(0, index))} with ${kind} ${(params[name] ?? '').slice(0, 200)}`]
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

/** `/v1/checks/url` → "url check". */
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
