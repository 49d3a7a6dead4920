import { describe, expect, it } from 'vitest'
import { isNetwork, type NetworkRules, networkPolicy } from './address-policy.ts'

const open: NetworkRules = { mode: 'default' }
const strict: NetworkRules = { mode: 'public' }

const cases: [address: string, byDefault: string | null, inPublicMode: string | null][] = [
  ['93.184.216.34', null, null],
  ['2606:2800:220:1:248:1893:25c8:1946', null, null],
  ['169.254.169.254', 'a link-local address', 'a link-local address'],
  ['::ffff:169.254.169.254', 'a link-local address', 'a link-local address'],
  ['::ffff:a9fe:a9fe', 'a link-local address', 'a link-local address'],
  ['0:0:0:0:0:ffff:a9fe:a9fe', 'a link-local address', 'a link-local address'],
  ['::169.254.169.254', 'a link-local address', 'a link-local address'],
  ['64:ff9b::a9fe:a9fe', 'a link-local address', 'a link-local address'],
  ['2002:a9fe:a9fe::1', 'a link-local address', 'a link-local address'],
  ['fe80::1', 'a link-local address', 'a link-local address'],
  ['fe80::1%eth0', 'a link-local address', 'a link-local address'],
  ['febf::1', 'a link-local address', 'a link-local address'],
  ['fd00:ec2::254', 'a cloud metadata address', 'a cloud metadata address'],
  ['fd00:0ec2:0:0:0:0:0:254', 'a cloud metadata address', 'a cloud metadata address'],
  ['fd20:ce::254', 'a cloud metadata address', 'a cloud metadata address'],
  ['100.100.100.200', 'a cloud metadata address', 'a cloud metadata address'],
  ['168.63.129.16', 'a cloud metadata address', 'a cloud metadata address'],
  ['127.0.0.1', null, 'a loopback address'],
  ['127.255.255.254', null, 'a loopback address'],
  ['::1', null, 'a loopback address'],
  ['::ffff:127.0.0.1', null, 'a loopback address'],
  ['0.0.0.0', null, 'an unspecified address'],
  ['::', null, 'an unspecified address'],
  ['10.1.2.3', null, 'a private address'],
  ['172.16.0.1', null, 'a private address'],
  ['172.32.0.1', null, null],
  ['192.168.1.1', null, 'a private address'],
  ['::ffff:c0a8:101', null, 'a private address'],
  ['64:ff9b::10.0.0.1', null, 'a private address'],
  ['64:ff9b::8.8.8.8', null, null],
  ['64:ff9b:1::1', null, 'an unspecified address'],
  ['64:ff9b:1::a9fe:a9fe', 'a link-local address', 'a link-local address'],
  ['64:ff9b:1:a9fe:a9:fe00::', 'a link-local address', 'a link-local address'],
  ['2606:2800:220:1:0:5efe:a9fe:a9fe', 'a link-local address', 'a link-local address'],
  ['2606:2800:220:1:200:5efe:169.254.169.254', 'a link-local address', 'a link-local address'],
  ['2606:2800:220:1:0:5efe:10.0.0.1', null, 'a private address'],
  ['2606:2800:220:1:0:5efe:8.8.8.8', null, null],
  ['2606:2800:220:1:100:5efe:10.0.0.1', null, null],
  ['100.64.0.1', null, 'a carrier-grade NAT address'],
  ['100.128.0.1', null, null],
  ['fd12:3456::1', null, 'a unique-local address'],
  ['224.0.0.1', null, 'a multicast address'],
  ['ff02::1', null, 'a multicast address'],
  ['255.255.255.255', null, 'a broadcast address'],
  ['240.0.0.1', null, 'a reserved address'],
  ['example.com', 'not an IP address', 'not an IP address'],
  ['', 'not an IP address', 'not an IP address'],
]

describe('networkPolicy', () => {
  it.each(cases)('%s is %s by default and %s in public mode', (address, byDefault, inPublicMode) => {
    expect(networkPolicy(open).refusalOf(address)).toBe(byDefault)
    expect(networkPolicy(strict).refusalOf(address)).toBe(inPublicMode)
  })

  it('lets an explicit allow open a built-in refusal, for that network only', () => {
    const policy = networkPolicy({ mode: 'public', allow: ['10.1.0.0/16', 'fd12::/16'] })
    expect(policy.refusalOf('10.1.2.3')).toBeNull()
    expect(policy.refusalOf('::ffff:10.1.2.3')).toBeNull()
    expect(policy.refusalOf('fd12::1')).toBeNull()
    expect(policy.refusalOf('10.2.0.1')).toBe('a private address')
  })

  it('lets an explicit deny beat an explicit allow', () => {
    const policy = networkPolicy({ mode: 'default', allow: ['10.0.0.0/8'], deny: ['10.1.0.0/16', '8.8.8.8'] })
    expect(policy.refusalOf('10.1.2.3')).toBe('an address this agent must not reach')
    expect(policy.refusalOf('::ffff:10.1.2.3')).toBe('an address this agent must not reach')
    expect(policy.refusalOf('8.8.8.8')).toBe('an address this agent must not reach')
    expect(policy.refusalOf('10.2.0.1')).toBeNull()
  })

  it.each([
    ['10.0.0.0/8', true],
    ['10.0.0.1', true],
    ['fd00::/8', true],
    [' 10.0.0.0/8 ', true],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/8/8', false],
    ['fe80::1%eth0/64', false],
    ['localhost', false],
    ['', false],
  ])('reads %j as a network: %s', (text, expected) => {
    expect(isNetwork(text)).toBe(expected)
  })

  it('throws over a network that is none', () => {
    expect(() => networkPolicy({ mode: 'default', deny: ['nonsense'] })).toThrow('not a network: nonsense')
  })
})
