// What happened in the last 24 hours, as sentences.
import { dayMs, type Recent, type Verdict } from '@vedette/contracts'
import { listDeployments } from '../storage/checks/deployments.ts'
import type { Store } from '../storage/core/db.ts'
import {
  listRecentChanges,
  listRecentIncidentUpdates,
  listSentAlerts,
  type RecentAlert,
  type RecentIncidentUpdate,
} from '../storage/results/recent-events.ts'
import { changeKinds, joinChanges } from './recent-changes.ts'

const maxRecent = 50

/** The latest first. */
export async function listRecent(
  { db, pool }: Pick<Store, 'db' | 'pool'>,
  accountId: string,
  now: number,
): Promise<Recent[]> {
  const query = { accountIds: [accountId], from: now - dayMs, limit: maxRecent }
  const [alerts, incidents, deployments, changes] = await Promise.all([
    listSentAlerts(pool, query),
    listRecentIncidentUpdates(pool, query),
    listDeployments(db, accountId, { from: query.from, limit: maxRecent, page: 1 }),
    listRecentChanges(pool, { accountId, from: query.from, kinds: changeKinds, limit: maxReadChanges }),
  ])
  const all = [
    ...alerts.map(serializeAlert),
    ...incidents.map(serializeIncidentUpdate),
    ...deployments.items.map(serializeDeployment),
    ...joinChanges(changes).slice(0, maxChanges),
  ]
  return all.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxRecent)
}

/** A deployment of a project changes hundreds of checks: they must not displace the alerts. */
const maxChanges = 15
const maxReadChanges = 500

const maxErrorChars = 300

const becomes: Record<RecentAlert['kind'], { text: string; state: Verdict | null }> = {
  failure: { text: 'is failing', state: 'failing' },
  degraded: { text: 'is degraded', state: 'degraded' },
  recovery: { text: 'has recovered', state: 'passing' },
  ssl: { text: 'has a certificate that expires soon', state: null },
}

export function serializeAlert({ at, name, kind, error, checkId }: RecentAlert): Recent {
  const { text, state } = becomes[kind]
  const [line = ''] = (error ?? '').trim().split('\n', 1)
  const why = line === '' || kind === 'recovery' ? '' : `: ${line.slice(0, maxErrorChars)}`
  return { at, kind: 'alert', text: `${name} ${text}${why}`, state, checkId, incidentId: null }
}

const statusTexts: Record<string, string> = {
  INVESTIGATING: 'being investigated',
  IDENTIFIED: 'cause found',
  MONITORING: 'fixed, being watched',
  RESOLVED: 'resolved',
}

export function serializeIncidentUpdate({ at, name, status, incidentId }: RecentIncidentUpdate): Recent {
  const text = `Incident "${name}": ${statusTexts[status] ?? status.toLowerCase()}`
  return { at, kind: 'incident', text, state: null, checkId: null, incidentId }
}

type Deployment = Awaited<ReturnType<typeof listDeployments>>['items'][number]

function serializeDeployment(row: Deployment): Recent {
  const { sha, repository, environment_name: environment, environment_url: url, deployment_id: id } = row
  const what = [repository, sha?.slice(0, 12)].filter(Boolean).join(' ') || id || 'A new version'
  const where = environment ?? url
  return {
    ...{ at: row.created_at, kind: 'deployment', state: null, checkId: row.check_id, incidentId: null },
    text: `${what} was deployed${where === null ? '' : ` to ${where}`}`,
  }
}
