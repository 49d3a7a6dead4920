// Which checks a client certificate is sent for: chosen by host, as agents do.
import { checkTypes, maxListedUses, type Uses } from '@vedette/contracts'
import { certificateFor } from '@vedette/safeguards/client-certificate'
import { listClientCertificates } from '../storage/checks/client-certificates.ts'
import { listCertificateTargets } from '../storage/checks/uses.ts'
import type { Db } from '../storage/core/db.ts'

const types = Object.values(checkTypes)
  .filter((definition) => 'usesClientCertificates' in definition && definition.usesClientCertificates)
  .map(({ type }) => type)

export async function listCertificateUses(db: Db, accountId: string, id: string): Promise<Uses> {
  const newestFirst = (await listClientCertificates(db, accountId)).reverse()
  const targets = await listCertificateTargets(db, accountId, types)
  const users = targets.filter(({ address, certificateId }) => {
    if (certificateId !== null) return certificateId === id
    const host = hostOf(address ?? '')
    return host !== null && certificateFor(host, newestFirst)?.id === id
  })
  return {
    checks: users.slice(0, maxListedUses).map(({ id, name }) => ({ id, name })),
    checkCount: users.length,
    groups: [],
    groupCount: 0,
  }
}

/** Null: it isn't written out. */
function hostOf(address: string): string | null {
  if (!address.includes('://')) return address === '' || address.includes('{{') ? null : address
  const url = URL.parse(address)
  if (url === null || url.protocol !== 'https:' || /\{\{|%7b%7b/i.test(url.hostname)) return null
  return url.hostname
}
