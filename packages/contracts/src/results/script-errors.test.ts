import { expect, it } from 'vitest'
import { readScriptErrors, stripTerminalCodes } from './script-errors.ts'

it('reads errors of every shape, without colors', () => {
  const errors = [
    'plain',
    { message: 'm', stack: 'm\n at x' },
    { error: { message: '\u001b[31mred\u001b[39m' } },
    { error: 'not an object' },
    { error: 7, message: 'beside it' },
    { stack: 7, message: 'hidden' },
    '',
    7,
    null,
    {},
  ]
  expect(readScriptErrors(errors)).toEqual(['plain', 'm\n at x', 'red', 'beside it'])
  expect(readScriptErrors(undefined)).toEqual([])
  expect(readScriptErrors({ message: 'not a list' })).toEqual([])
})

it('removes escape sequences of terminals, and nothing else', () => {
  expect(stripTerminalCodes('\u001b[1;31mno\u001b[0m [31m \u001b[2K\u001b[?25lyes')).toBe('no [31m yes')
  expect(stripTerminalCodes('\u001b]8;;file:///a.ts\u0007a.ts\u001b]8;;\u001b\\ line 1')).toBe('a.ts line 1')
})
