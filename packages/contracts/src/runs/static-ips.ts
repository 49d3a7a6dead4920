// The addresses of the agents of an installation, for allow lists of firewalls.
import { z } from 'zod'
import { route } from '../core/route.ts'

const Ipv4 = z.union([z.ipv4(), z.cidrv4()])
const Ipv6 = z.union([z.ipv6(), z.cidrv6()])
const byRegion = <T extends z.ZodType>(address: T) =>
  z.record(z.string().min(1).max(100), z.array(address).max(10_000))

/** The content of STATIC_IPS_FILE. */
export const StaticIps = z.object({ ipv4: byRegion(Ipv4).default({}), ipv6: byRegion(Ipv6).default({}) })

export type StaticIps = z.output<typeof StaticIps>

const tag = 'Static IPs'
const Addresses = z.array(z.string())
const AddressesByRegion = z.record(z.string(), z.array(z.string()))

export const listStaticIps = route({
  method: 'GET',
  path: '/v1/static-ips',
  tag,
  summary: 'List the IPv4 addresses that checks come from',
  access: 'public',
  status: 200,
  response: Addresses,
})

export const listStaticIpsByRegion = route({
  method: 'GET',
  path: '/v1/static-ips-by-region',
  tag,
  summary: 'List the IPv4 addresses by region',
  description: 'Ranges of up to 1024 addresses (/22) are listed as addresses.',
  access: 'public',
  status: 200,
  response: AddressesByRegion,
})

export const getStaticIpsText = route({
  method: 'GET',
  path: '/v1/static-ips.txt',
  tag,
  summary: 'The IPv4 addresses as text, one per line',
  access: 'public',
  status: 200,
  contentType: 'text/plain',
  response: z.string(),
})

export const listStaticIpv6s = route({
  method: 'GET',
  path: '/v1/static-ipv6s',
  tag,
  summary: 'List the IPv6 addresses and ranges that checks come from',
  access: 'public',
  status: 200,
  response: Addresses,
})

export const listStaticIpv6sByRegion = route({
  method: 'GET',
  path: '/v1/static-ipv6s-by-region',
  tag,
  summary: 'List the IPv6 ranges by region',
  description: 'A single address is a range with the prefix /128.',
  access: 'public',
  status: 200,
  response: AddressesByRegion,
})

export const getStaticIpv6sText = route({
  method: 'GET',
  path: '/v1/static-ipv6s.txt',
  tag,
  summary: 'The IPv6 addresses and ranges as text, one per line',
  access: 'public',
  status: 200,
  contentType: 'text/plain',
  response: z.string(),
})
