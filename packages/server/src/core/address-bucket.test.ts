import { expect, it } from 'vitest'
import { addressBucket } from './address-bucket.ts'

it.each([
  ['192.0.2.7', 'ip:192.0.2.7'],
  ['::ffff:192.0.2.7', 'ip:::ffff:192.0.2.7'],
  ['2001:db8:1:2:a:b:c:d', 'ip:2001:db8:1:2'],
  // Different notations of a network are one caller.
  ['2001:db8:1:2::1', 'ip:2001:db8:1:2'],
  ['2001:db8::a:b:c:d', 'ip:2001:db8:0:0'],
  ['2001:db8::1', 'ip:2001:db8:0:0'],
  ['2001:db8:7::', 'ip:2001:db8:7:0'],
  ['::1', 'ip:0:0:0:0'],
])('%s is counted as %s', (ip, bucket) => {
  expect(addressBucket({ ip })).toBe(bucket)
})
