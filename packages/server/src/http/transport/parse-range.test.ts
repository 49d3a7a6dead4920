import { expect, it } from 'vitest'
import { parseRange } from './parse-range.ts'

it.each([
  ['bytes=0-9', 100, { start: 0, end: 9 }],
  ['bytes=90-', 100, { start: 90, end: 99 }],
  ['bytes=-10', 100, { start: 90, end: 99 }],
  ['bytes=-500', 100, { start: 0, end: 99 }],
  ['bytes=5-500', 100, { start: 5, end: 99 }],
  ['bytes=99-99', 100, { start: 99, end: 99 }],
  ['bytes=100-', 100, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 100, 'unsatisfiable'],
  ['bytes=9-0', 100, null],
  ['bytes=-', 100, null],
  ['bytes=0-1,5-6', 100, null],
  ['items=0-1', 100, null],
  ['Bytes=0-1', 100, { start: 0, end: 1 }],
  ['bytes=99999999999999999999999-', 100, 'unsatisfiable'],
  ['bytes=0-99999999999999999999999', 100, { start: 0, end: 99 }],
  ['bytes=-1-2', 100, null],
  ['bytes=0x1-2', 100, null],
  ['bytes= 0-1', 100, null],
])('%s of %s bytes: %j', (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected)
})
