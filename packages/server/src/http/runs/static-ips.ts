import {
  getStaticIpsText,
  getStaticIpv6sText,
  listStaticIps,
  listStaticIpsByRegion,
  listStaticIpv6s,
  listStaticIpv6sByRegion,
} from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function staticIpRoutes({ staticIps }: Deps): Mounted[] {
  const { ipv4, ipv6 } = staticIps
  return [
    handle(listStaticIps, async () => allOf(ipv4)),
    handle(listStaticIpsByRegion, async () => ipv4),
    handle(getStaticIpsText, async () => toLines(allOf(ipv4))),
    handle(listStaticIpv6s, async () => allOf(ipv6)),
    handle(listStaticIpv6sByRegion, async () => ipv6),
    handle(getStaticIpv6sText, async () => toLines(allOf(ipv6))),
  ]
}

/** Regions may share an address. */
function allOf(byRegion: Record<string, string[]>): string[] {
  return [...new Set(Object.values(byRegion).flat())]
}

function toLines(addresses: string[]): string {
  return addresses.map((address) => `${address}\n`).join('')
}
