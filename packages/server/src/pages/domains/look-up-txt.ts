import { Resolver } from 'node:dns/promises'
import { errorCode } from '@vedette/safeguards/errors'

/** The texts of a name; empty: it has none. Rejects if that isn't known. */
export type LookUpTxt = (name: string) => Promise<string[]>

/** `servers`: absent: those of this machine. */
export function openTxtLookup(servers?: readonly string[]): LookUpTxt {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes(errorCode(error) ?? '')) return []
      throw error
    }
  }
}
