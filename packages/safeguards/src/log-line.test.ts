import { describe, expect, it } from 'vitest'
import { logFormat, textOfRecord, withoutReserved } from './log-line.ts'

const time = new Date(2026, 0, 2, 14, 2, 11).toISOString()

describe('a log record as text', () => {
  it('has time, level, message and the fields that people need', () => {
    const record = {
      level: 'info',
      time,
      pid: 7,
      address: 'http://localhost:3000',
      checkId: 'x',
      msg: 'server.ready',
    }
    expect(textOfRecord(record, false)).toBe(
      '14:02:11 info  The server is ready.  address=http://localhost:3000\n',
    )
  })

  it('shows a short list, and the length of a long one', () => {
    const record = {
      level: 'info',
      time,
      msg: 'x',
      layers: ['user', 'network'],
      applied: Array(20).fill('y'),
    }
    expect(textOfRecord(record, false)).toContain('layers=user,network applied="20 items"')
  })

  it('stays one line, and passes no control characters on, whatever a target wrote', () => {
    const record = { level: 'warn', time, msg: 'Check "a\nb\u001b[2J" is failing', reason: 'x\r\ny z' }
    const text = textOfRecord(record, false)
    expect(text.trimEnd()).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('reason="x')
  })

  it('shows the stack of an error, but not of a warning', () => {
    const err = { message: 'no disk', stack: 'Error: no disk\n    at write (a.ts:1)\n    at main (b.ts:2)' }
    expect(textOfRecord({ level: 'error', time, msg: 'x', err }, false)).toMatch(
      /no disk\n\s+at write.*\n\s+at main/,
    )
    expect(textOfRecord({ level: 'warn', time, msg: 'x', err }, false)).not.toContain('at write')
  })

  it('colors the level on a terminal', () => {
    expect(textOfRecord({ level: 'error', time, msg: 'x' }, true)).toContain('\u001b[31merror\u001b[0m')
  })
})

it('is text on a terminal and JSON elsewhere, unless it is set', () => {
  expect([logFormat(undefined, true), logFormat(undefined, false)]).toEqual(['text', 'json'])
  expect([logFormat('json', true), logFormat('text', false)]).toEqual(['json', 'text'])
})

it('keeps fields of an event from replacing those of the record', () => {
  expect(withoutReserved({ level: 'strong', layers: 3 })).toEqual({ _level: 'strong', layers: 3 })
})
