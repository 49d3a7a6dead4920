// The names and domains of pages, in the transaction of the caller.
import { invalidInput, normalizeHostName, reservedNames } from '@vedette/contracts'
import { isWithinHost } from '../../core/own-hosts.ts'
import type { Db } from '../../storage/core/db.ts'
import { duplicateError } from '../../storage/core/map-unique-violation.ts'
import { claimPageDomain, type PageReference } from '../../storage/pages/page-domains.ts'

/** What a page is changed with, besides its values. */
export interface ChangeContext {
  now: number
  /** The hosts of this installation, see core/own-hosts.ts. */
  ownHosts: readonly string[]
}

/** Pages of earlier releases keep their reserved name. */
export function refuseReservedName(field: string, name: string | null, before: string | null): void {
  if (name === null || name.toLowerCase() === before?.toLowerCase()) return
  if (reservedNames.includes(name.toLowerCase()))
    throw invalidInput([
      { path: [field], message: `must not be a reserved name (${reservedNames.join(', ')})` },
    ])
}

/** Pages of earlier releases keep a domain that is refused today. */
export async function changeDomain(
  tx: Db,
  accountId: string,
  page: PageReference,
  domain: { before: string | null; after: string | null },
  { now, ownHosts }: ChangeContext,
): Promise<void> {
  const [before, after] = [domain.before, domain.after].map((name) => name && normalizeHostName(name))
  const isChanged = after !== before
  const ownHost = ownHosts.find((host) => isWithinHost(after ?? '', host))
  if (isChanged && ownHost !== undefined) {
    const message = `must be a domain of your own: ${ownHost} and everything below it belong to this server`
    throw invalidInput([{ path: ['customDomain'], message }])
  }
  const isClaimed = await claimPageDomain(tx, accountId, page, after ?? null, now)
  if (!isClaimed && isChanged) throw duplicateError('customDomain')
}
