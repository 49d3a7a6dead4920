// A DNS lookup for one connection that returns only permitted addresses. The connection uses exactly these addresses, so DNS
// can't change in between.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'

export class RefusedAddress extends Error {
  override name = 'RefusedAddress'
}

export type Resolve = (name: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = (name) => lookup(name, { all: true })

export function guardedLookup(policy: NetworkPolicy, resolve: Resolve = resolveBySystem): LookupFunction {
  // A name that is slow to resolve occupies one thread, regardless of the number of callers.
  const underway = new Map<string, Promise<LookupAddress[]>>()
  const addressesOf = (name: string) => {
    const known = underway.get(name) ?? resolve(name).finally(() => underway.delete(name))
    underway.set(name, known)
    return known
  }
  return (name, { all, family }, callback) => {
    addressesOf(name)
      .then((addresses) => filterPermitted(addresses, policy, family))
      .then(
        (addresses) => {
          const [first] = addresses
          if (all || !first) callback(null, addresses)
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      )
  }
}

function filterPermitted(
  addresses: LookupAddress[],
  policy: NetworkPolicy,
  family: unknown,
): LookupAddress[] {
  const wanted = addresses.filter((one) => ![4, 6].includes(Number(family)) || one.family === family)
  const allowed = wanted.filter(({ address }) => policy.refusalOf(address) === null)
  if (allowed.length > 0) return allowed
  const refusal = wanted[0] && policy.refusalOf(wanted[0].address)
  if (refusal) throw new RefusedAddress(refusal)
  throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' })
}
