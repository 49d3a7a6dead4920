// Names to addresses, for one connection at a time: only addresses that may be connected to come out, and those very
// ones are connected to, so what a name leads to can't change in between.
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
  // A name that is slow to resolve takes one thread of the process, however many ask for it.
  const underway = new Map<string, Promise<LookupAddress[]>>()
  const addressesOf = (name: string) => {
    const known = underway.get(name) ?? resolve(name).finally(() => underway.delete(name))
    underway.set(name, known)
    return known
  }
  return (name, { all, family }, answer) => {
    addressesOf(name)
      .then((addresses) => permitted(addresses, policy, family))
      .then(
        (addresses) => {
          const [first] = addresses
          if (all || !first) answer(null, addresses)
          else answer(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => answer(error, []),
      )
  }
}

function permitted(addresses: LookupAddress[], policy: NetworkPolicy, family: unknown): LookupAddress[] {
  const wanted = addresses.filter((one) => ![4, 6].includes(Number(family)) || one.family === family)
  const allowed = wanted.filter(({ address }) => policy.refusalOf(address) === null)
  if (allowed.length > 0) return allowed
  const refusal = wanted[0] && policy.refusalOf(wanted[0].address)
  if (refusal) throw new RefusedAddress(refusal)
  throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' })
}
