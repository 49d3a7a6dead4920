// Changes of an account as sentences, several of the same kind in one.
import { minuteMs, type Recent } from '@vedette/contracts'
import type { RecentChange } from '../storage/results/recent-events.ts'

/** By the group of the reference: what one and several of it are called. Only what every member can read. */
const names: Record<string, [one: string, many: string]> = {
  Checks: ['check', 'checks'],
  'Check groups': ['group', 'groups'],
  'Alert channels': ['alert channel', 'alert channels'],
  Snippets: ['snippet', 'snippets'],
  'Environment variables': ['variable', 'variables'],
  'Client certificates': ['client certificate', 'client certificates'],
  'Maintenance windows': ['maintenance window', 'maintenance windows'],
  'Private locations': ['private location', 'private locations'],
  'Status pages': ['status page', 'status pages'],
  Dashboards: ['dashboard', 'dashboards'],
}

export const changeKinds = Object.keys(names)

const verbs: Record<RecentChange['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
}

/** Changes of one person within this time are one entry. */
const joinedMs = 10 * minuteMs
const maxFields = 3

/** The latest first, as they come. */
export function joinChanges(changes: readonly RecentChange[]): Recent[] {
  const groups: RecentChange[][] = []
  for (const change of changes) {
    const group = groups.find(([latest]) => latest !== undefined && isAlike(latest, change))
    if (group === undefined) groups.push([change])
    else group.push(change)
  }
  return groups.flatMap((group) => serializeChanges(group))
}

function isAlike(one: RecentChange, other: RecentChange): boolean {
  return (
    one.actor === other.actor &&
    one.action === other.action &&
    one.kind === other.kind &&
    Date.parse(one.at) - Date.parse(other.at) <= joinedMs
  )
}

function serializeChanges(group: readonly RecentChange[]): Recent[] {
  const [latest] = group
  if (latest === undefined) return []
  const ids = new Set(group.map(({ resourceId }) => resourceId))
  const [one = 'resource', many = 'resources'] = names[latest.kind] ?? []
  const what =
    ids.size > 1 ? `${ids.size} ${many}` : `the ${one}${latest.name === null ? '' : ` ${latest.name}`}`
  const fields = [...new Set(group.flatMap((change) => change.fields))]
  const which =
    ids.size > 1 || latest.action !== 'update' || fields.length === 0 ? '' : `: ${fieldsInWords(fields)}`
  const isCheck = latest.kind === 'Checks' && latest.action !== 'delete' && ids.size === 1
  return [
    {
      ...{ at: latest.at, kind: 'change', state: null, incidentId: null },
      text: `${latest.actor ?? 'Someone'} ${verbs[latest.action]} ${what}${which}`,
      checkId: isCheck ? latest.resourceId : null,
    },
  ]
}

function fieldsInWords(fields: readonly string[]): string {
  const shown = fields.slice(0, maxFields).join(', ')
  return fields.length > maxFields ? `${shown} and ${fields.length - maxFields} more` : shown
}
