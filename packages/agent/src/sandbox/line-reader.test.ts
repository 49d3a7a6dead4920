import { expect, it } from 'vitest'
import { LineReader } from './line-reader.ts'

const push = (reader: LineReader, text: string) => [...reader.push(Buffer.from(text))]

it('joins lines across chunks and characters across bytes', () => {
  const reader = new LineReader(100)
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
  expect(push(reader, 'one\n\ntw')).toEqual(['one', ''])
  expect(push(reader, 'o')).toEqual([])
  expect([...reader.push(first)]).toEqual([])
  expect([...reader.push(Buffer.concat([second, Buffer.from('\nthree\n')]))]).toEqual(['twoé', 'three'])
})

it('reports a line that is too long, also in many chunks', () => {
  const reader = new LineReader(3)
  push(reader, 'abc\nabc')
  expect(reader.isTooLong).toBe(false)
  push(reader, 'd')
  expect(reader.isTooLong).toBe(true)
})
