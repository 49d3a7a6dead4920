// Whether pages are served on their custom domains, and what is missing.
import { type CustomDomainStatus, normalizeHostName } from '@vedette/contracts'
import type { z } from 'zod'
import { isWithinHost, ownHosts } from '../../core/own-hosts.ts'
import { domainProof } from '../../links/domain-proof.ts'
import type { Db } from '../../storage/core/db.ts'
import {
  hasSeveralAccounts,
  listDomainsOfAccount,
  type PageDomainRow,
} from '../../storage/pages/page-domains.ts'
import type { Deps } from '../transport/deps.ts'

type Status = z.output<typeof CustomDomainStatus>
export type DomainDeps = Pick<Deps, 'vault' | 'config'>

/** By the id of the page; pages without a domain are left out. */
export async function readDomainStatuses(
  db: Db,
  { vault, config }: DomainDeps,
  accountId: string,
  pages: readonly { id: string | number; custom_domain: string | null }[],
): Promise<Map<string | number, Status>> {
  const named = pages.flatMap(({ id, custom_domain }) =>
    custom_domain === null ? [] : [{ id, domain: normalizeHostName(custom_domain) }],
  )
  if (named.length === 0) return new Map()
  const rows = await listDomainsOfAccount(
    db,
    accountId,
    named.map(({ domain }) => domain),
  )
  const needsProof = config.CUSTOM_DOMAIN_PROOF === 'on' && (await hasSeveralAccounts(db))
  const hosts = ownHosts(config)
  return new Map(
    named.map(({ id, domain }) => {
      const row = rows.find((row) => row.dashboard_id === id || row.status_page_id === id)
      const ownHost = hosts.find((host) => isWithinHost(domain, host))
      const state =
        ownHost === undefined
          ? stateOf(row, needsProof)
          : { isServed: false, reason: `${ownHost} and everything below it belong to this server.` }
      const proof = domainProof(vault.sign, accountId, domain)
      return [
        id,
        {
          status: state.isServed ? ('served' as const) : ('pending' as const),
          reason: state.reason,
          recordType: 'TXT' as const,
          ...proof,
        },
      ]
    }),
  )
}

function stateOf(
  row: PageDomainRow | undefined,
  needsProof: boolean,
): { isServed: boolean; reason: string | null } {
  if (row === undefined)
    return { isServed: false, reason: 'Another page has this domain. Save this page again when it is free.' }
  if (!needsProof) return { isServed: true, reason: null }
  const reason = row.problem ?? (row.proven_at === null ? 'The DNS record has not been looked up yet.' : null)
  return { isServed: row.proven_at !== null, reason }
}
