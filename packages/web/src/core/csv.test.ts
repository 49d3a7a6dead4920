import { expect, it } from 'vitest'
import { toCsv } from './csv.ts'

it('quotes cells, and what a spreadsheet would run', () => {
  expect(
    toCsv([
      ['a', 'say "b"'],
      ['=1+1', '@x'],
    ]),
  ).toBe('"a","say ""b"""\r\n"\'=1+1","\'@x"\r\n')
  expect(toCsv([['+1', '-1', '\tx', 'x=1']])).toBe('"\'+1","\'-1","\'\tx","x=1"\r\n')
})
