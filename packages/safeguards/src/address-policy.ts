// Which addresses a program may connect to. It's applied to resolved addresses, right before connecting.
import { BlockList, isIP } from 'node:net'

type NetworkMode = 'default' | 'public'

export interface NetworkRules {
  mode: NetworkMode
  /** Networks as CIDR or single addresses. */
  allow?: readonly string[]
  deny?: readonly string[]
}

export interface NetworkPolicy {
  /** Why connections to this address are refused; null: they're allowed. Without a port: to any port. */
  refusalOf(address: string, port?: number): string | null
}

const metadata = {
  'a link-local address': ['169.254.0.0/16', 'fe80::/10'],
  // AWS, Google, Alibaba, Oracle, Azure, Scaleway: those outside the link-local range.
  'a cloud metadata address': [
    'fd00:ec2::/32',
    'fd20:ce::254/128',
    '100.100.100.200/32',
    '192.0.0.192/32',
    '168.63.129.16/32',
    'fd00:42::42/128',
  ],
}

const nonPublic = {
  'a loopback address': ['127.0.0.0/8', '::1/128'],
  'an unspecified address': ['0.0.0.0/8', '::/128'],
  'a private address': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  'a carrier-grade NAT address': ['100.64.0.0/10'],
  'a unique-local address': ['fc00::/7', 'fec0::/10'],
  'a multicast address': ['224.0.0.0/4', 'ff00::/8'],
  'a broadcast address': ['255.255.255.255/32'],
  'a reserved address': [
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/32',
    '2001:db8::/32',
  ],
}

/** Checks connect to the same addresses again and again. */
const maxDecided = 1_000

/** An explicit deny takes precedence; an explicit allow overrides a built-in refusal. */
export function networkPolicy(
  { mode, allow = [], deny = [] }: NetworkRules,
  program: 'agent' | 'server' = 'agent',
): NetworkPolicy {
  const denied = blockListOf(deny)
  const allowed = blockListOf(allow)
  const named = mode === 'public' ? { ...metadata, ...nonPublic } : metadata
  const refusals = Object.entries(named).map(([name, networks]) => ({ name, list: blockListOf(networks) }))
  function decide(address: string): string | null {
    const forms = formsOf(address)
    if (forms.length === 0) return 'not an IP address'
    const isIn = (list: BlockList) => forms.some((form) => list.check(form, familyOf(form)))
    if (isIn(denied)) return `an address this ${program} must not reach`
    if (isIn(allowed)) return null
    return refusals.find(({ list }) => isIn(list))?.name ?? null
  }
  const decided = new Map<string, string | null>()
  return {
    refusalOf(address) {
      const known = decided.get(address)
      if (known !== undefined) return known
      const refusal = decide(address)
      if (decided.size >= maxDecided) decided.clear()
      decided.set(address, refusal)
      return refusal
    },
  }
}

/** For parsers of settings, which report an invalid network instead of throwing. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (!network) throw new Error(`not a network: ${text}`)
    list.addSubnet(network.address, network.prefix, familyOf(network.address))
  }
  return list
}

function parseNetwork(text: string): { address: string; prefix: number } | null {
  const [address = '', prefix, ...rest] = text.trim().split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return null
  const bits = version === 4 ? 32 : 128
  if (prefix === undefined) return { address, prefix: bits }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return null
  return { address, prefix: Number(prefix) }
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * The address itself, and the IPv4 addresses that an IPv6 address embeds: mapped, compatible, NAT64 (also its prefix for local
 * use), 6to4, ISATAP. A NAT64 prefix of a network's own can't be recognized: AGENT_DENY_NETWORKS.
 */
function formsOf(address: string): string[] {
  const plain = address.replace(/%.*$/, '')
  const version = isIP(plain)
  if (version === 0) return []
  if (version === 4) return [plain]
  const words = wordsOf(plain)
  const v4 = (high = 0, low = 0) => [high >> 8, high & 255, low >> 8, low & 255].join('.')
  if (words[0] === 0x2002) return [plain, v4(words[1], words[2])]
  const isNat64 = words[0] === 0x64 && words[1] === 0xff9b && words.slice(2, 6).every((word) => word === 0)
  if (words[0] === 0x64 && words[1] === 0xff9b && words[2] === 1) {
    // Of 48 bits: the address is before and after an octet that is 0. Of 96 bits: it is at the end.
    const [, , , first = 0, second = 0, third = 0] = words
    return [plain, v4(first, (second << 8) | (third >> 8)), v4(words[6], words[7])]
  }
  const isIsatap = words[5] === 0x5efe && [0, 0x200].includes(words[4] ?? -1)
  const isCompatible = words.slice(0, 5).every((word) => word === 0) && [0, 0xffff].includes(words[5] ?? -1)
  const isUnspecifiedOrLoopback = words.slice(0, 7).every((word) => word === 0) && (words[7] ?? 0) < 2
  if (isNat64 || isIsatap || (isCompatible && !isUnspecifiedOrLoopback))
    return [plain, v4(words[6], words[7])]
  return [plain]
}

/** The eight 16-bit words of a valid IPv6 address. */
function wordsOf(address: string): number[] {
  // The parser of URLs writes a dotted end as two words.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const front = parse(head)
  if (tail === undefined) return front
  const back = parse(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}
