import { describe, expect, it } from 'vitest'
import { EventParser } from './event-parser.ts'

const text = ': hello\nevent: change\nid: 7\ndata: {"a":\ndata: 1}\n\n:\n\ndata: plain\n\nevent: reload\n\n'
const events = [
  { event: 'change', data: '{"a":\n1}', id: '7' },
  { event: 'message', data: 'plain', id: '7' },
]

describe('an event stream', () => {
  it('is read in one piece', () => expect(new EventParser().push(text)).toEqual(events))

  it('is read in pieces of any size', () => {
    for (let size = 1; size < 12; size++) {
      const parser = new EventParser()
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      expect(
        pieces.flatMap((piece) => parser.push(piece)),
        String(size),
      ).toEqual(events)
    }
  })

  it('may have other line ends', () => {
    expect(new EventParser().push('data: 1\r\n\r\ndata: 2\r\n\r\n').map(({ data }) => data)).toEqual([
      '1',
      '2',
    ])
  })
})
