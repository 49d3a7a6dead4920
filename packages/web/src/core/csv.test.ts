import { describe, expect, it } from 'vitest'
import { toCsv } from './csv.ts'

describe('a table as CSV', () => {
  it('quotes what would break a row', () => {
    expect(toCsv([['a,b', 'say "hi"', 'two\nlines', 'plain', 1.5, null]])).toBe(
      '"a,b","say ""hi""","two\nlines",plain,1.5,\r\n',
    )
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['=HYPERLINK("http://evil","x")', '"\'=HYPERLINK(""http://evil"",""x"")"'],
    ['a=1', 'a=1'],
  ])('%j is text, never a formula', (cell, text) => {
    expect(toCsv([[cell]])).toBe(`${text}\r\n`)
  })

  it('leaves numbers as they are, also negative ones', () => {
    expect(toCsv([[-2, 0]])).toBe('-2,0\r\n')
  })
})
