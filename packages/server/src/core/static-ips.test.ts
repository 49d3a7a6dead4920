import { expect, it } from 'vitest'
import { addressesOf, prefixOf } from './static-ips.ts'

it.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['192.0.2.1/32', ['192.0.2.1']],
  ['192.0.2.6/30', ['192.0.2.4', '192.0.2.5', '192.0.2.6', '192.0.2.7']],
  ['255.255.255.254/31', ['255.255.255.254', '255.255.255.255']],
  ['10.0.0.0/8', ['10.0.0.0/8']],
])('%s by region is listed as %j', (address, expected) => {
  expect(addressesOf(address)).toEqual(expected)
})

it('lists the addresses of a /22', () => {
  const all = addressesOf('198.51.100.0/22')
  expect([all.length, all[0], all[1023]]).toEqual([1024, '198.51.100.0', '198.51.103.255'])
})

it.each([
  ['2001:db8::7', '2001:db8::7/128'],
  ['2001:db8::/56', '2001:db8::/56'],
])('%s is the range %s', (address, expected) => {
  expect(prefixOf(address)).toBe(expected)
})
