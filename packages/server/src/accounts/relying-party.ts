// The address that passkeys belong to. Browsers have them only at domain names, over https or at localhost.
import { isIP } from 'node:net'

export interface RelyingParty {
  id: string
  origin: string
}

/** A sentence instead: why there are no passkeys. */
export function relyingPartyOf(publicUrl: string): RelyingParty | string {
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0)
    return 'Passkeys need a domain name, and the address of this server (PUBLIC_URL) is an IP address.'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol === 'https:' || isLocal) return { id: hostname, origin }
  return 'Passkeys need https, and the address of this server (PUBLIC_URL) begins with http.'
}
