import { getCheckTimeline, invalidInput, mergeOccurrences, openTimes } from '@vedette/contracts'
import { channelsOf } from '../../alerting/decision/recipients.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { listAuditEntries } from '../../storage/accounts/audit-log.ts'
import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { listSubscribedChannels } from '../../storage/alerts/alert-recipients.ts'
import { findCheck } from '../../storage/checks/check-reads.ts'
import { listDeployments } from '../../storage/checks/deployments.ts'
import { listPausingWindows } from '../../storage/checks/maintenance.ts'
import type { Pool } from '../../storage/core/db.ts'
import { type CertificateChain, listCertificateChains } from '../../storage/results/certificate-chains.ts'
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
      const [windows, deployments, changes, chains, certificateAlertDays] = await Promise.all([
        listPausingWindows(store.pool, [key], from, to),
        listDeployments(store.db, account.id, { from, to, limit: most, page: 1 }),
        listAuditEntries(
          store.db,
          account.id,
          { from, to, resourceId: check.id },
          { limit: most, after: null },
        ),
        listCertificateChains(store.pool, key, { from, to, limit: most }),
        readCertificateAlertDays(store.pool, check.id, clock.now()),
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
        ...chains
          .filter(({ changed, firstSeenAt }) => changed !== null && Date.parse(firstSeenAt) >= from)
          .map((chain) => ({ at: chain.firstSeenAt, kind: 'certificate' as const, text: wordsOf(chain) })),
      ]
      return {
        maintenance: mergeOccurrences(times).map(({ start, end }) => ({
          from: new Date(start).toISOString(),
          to: new Date(end).toISOString(),
        })),
        events: events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
        certificates: chains,
        certificateAlertDays,
      }
    }),
  ]
}

function wordsOf({ changed, subject, issuer, validTo, location }: CertificateChain): string {
  const where = location === '' ? '' : `, first seen from ${location}`
  return changed === 'chain'
    ? `Another chain for the certificate of ${subject}${where}`
    : `New certificate of ${subject}, issued by ${issuer}, valid until ${validTo.slice(0, 10)}${where}`
}

async function readCertificateAlertDays(pool: Pool, checkId: string, now: number): Promise<number | null> {
  const policy = (await readAlertPolicies(pool, [checkId], now)).get(checkId)
  const channels = channelsOf(await listSubscribedChannels(pool, [checkId]), policy?.isEnforced ?? false)
  const days = channels
    .filter(({ sslExpiry }) => sslExpiry)
    .map(({ sslExpiryThreshold }) => sslExpiryThreshold)
  return days.length === 0 ? null : Math.max(...days)
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
