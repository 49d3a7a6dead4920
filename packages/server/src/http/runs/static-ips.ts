import {
  getStaticIpsText,
  getStaticIpv6sText,
  listStaticIps,
  listStaticIpsByRegion,
  listStaticIpv6s,
  listStaticIpv6sByRegion,
} from '@vedette/contracts'
import { addressesOf, prefixOf } from '../../core/static-ips.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function staticIpRoutes({ staticIps }: Deps): Mounted[] {
  const { ipv4, ipv6 } = staticIps
  return [
    handle(listStaticIps, async () => allOf(ipv4)),
    handle(listStaticIpsByRegion, async () => mapEach(ipv4, addressesOf)),
    handle(getStaticIpsText, async () => toLines(allOf(ipv4))),
    handle(listStaticIpv6s, async () => allOf(ipv6)),
    handle(listStaticIpv6sByRegion, async () => mapEach(ipv6, (address) => [prefixOf(address)])),
    handle(getStaticIpv6sText, async () => toLines(allOf(ipv6))),
  ]
}

function mapEach(
  byRegion: Record<string, string[]>,
  map: (address: string) => string[],
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(byRegion).map(([region, addresses]) => [region, addresses.flatMap(map)]),
  )
}

/** Regions may share an address. */
function allOf(byRegion: Record<string, string[]>): string[] {
  return [...new Set(Object.values(byRegion).flat())]
}

function toLines(addresses: string[]): string {
  return addresses.map((address) => `${address}\n`).join('')
}
