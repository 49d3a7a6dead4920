import { getCheckTimeline, invalidInput, mergeOccurrences, openTimes } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { listAuditEntries } from '../../storage/accounts/audit-log.ts'
import { findCheck } from '../../storage/checks/checks.ts'
import { listDeployments } from '../../storage/checks/deployments.ts'
import { listPausingWindows } from '../../storage/checks/maintenance.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

const most = 100
/** The longest range that is asked for in one request. */
const longestSeconds = 400 * 86_400

export function checkTimelineRoutes({ store, clock }: Deps): Mounted[] {
  return [
    handle(getCheckTimeline, async ({ account, params, query }) => {
      const end = query.to ?? Math.ceil(clock.now() / 1000)
      const start = query.from ?? end - 86_400
      if (end <= start || end - start > longestSeconds)
        throw invalidInput([{ path: ['to'], message: 'must be after from, by at most 400 days' }])
      const check = orNotFound(await findCheck(store, account.id, params.id))
      const [from, to] = [start * 1000, end * 1000]
      const key = { accountId: account.id, checkId: check.id }
      const [windows, deployments, changes] = await Promise.all([
        listPausingWindows(store.pool, [key], from, to),
        listDeployments(store.db, account.id, { from, to, limit: most, page: 1 }),
        listAuditEntries(
          store.db,
          account.id,
          { from, to, resourceId: check.id },
          { limit: most, after: null },
        ),
      ])
      const times = (windows.get(check.id) ?? []).flatMap((window) => openTimes(window, from, to))
      const events = [
        ...deployments.items
          .filter(({ check_id, group_id }) => concerns(check_id, group_id, check.id, check.group_id))
          .map(({ created_at, environment_name, repository, sha }) => ({
            at: created_at,
            kind: 'deployment' as const,
            text: ['Deployment', environment_name, repository, sha?.slice(0, 8)].filter(Boolean).join(' '),
          })),
        ...changes.entries
          .filter(({ outcome }) => outcome === 'done')
          .map(({ created_at, actor_name, summary }) => ({
            at: created_at,
            kind: 'change' as const,
            text: `${actor_name ?? 'Someone'}: ${summary}`,
          })),
      ]
      return {
        maintenance: mergeOccurrences(times).map(({ start, end }) => ({
          from: new Date(start).toISOString(),
          to: new Date(end).toISOString(),
        })),
        events: events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
      }
    }),
  ]
}

/** A deployment without a target concerns every check. */
function concerns(
  checkId: string | null,
  groupId: number | null,
  ownId: string,
  ownGroupId: number | null,
): boolean {
  if (checkId === null && groupId === null) return true
  return checkId === ownId || (groupId !== null && groupId === ownGroupId)
}
