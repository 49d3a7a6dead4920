import { expect, it } from 'vitest'
import { chooseEncoding } from './ready-bytes.ts'

it.each([
  [undefined, undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, compress, deflate, br', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['*', 'br'],
  ['GZIP', 'gzip'],
])('accept-encoding %s selects %s', (header, expected) => {
  expect(chooseEncoding(header)).toBe(expected)
})
