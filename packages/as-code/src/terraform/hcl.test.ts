import { describe, expect, it } from 'vitest'
import { Expression } from '../source.ts'
import { attribute, block, writeHcl } from './hcl.ts'

const attributeOf = (text: string) => writeHcl([attribute('a', text)])

describe('HCL', () => {
  it('escapes quotes, backslashes, control characters and templates', () => {
    expect(attributeOf('"\\bold\\" \b\t\r $' + '{x} %{if} $$')).toBe(
      'a = "\\"\\\\bold\\\\\\" \\u0008\\t\\r $$' + '{x} %%{if} $$"\n',
    )
  })

  it('writes several lines as a heredoc that no line of the text ends', () => {
    expect(attributeOf('one "\\n" $' + '{x}\n  EOT\n')).toBe(
      'a = <<EOT2\none "\\n" $$' + '{x}\n  EOT\nEOT2\n',
    )
  })

  it("keeps that a text doesn't end with a line break", () => {
    expect(attributeOf('one\ntwo')).toBe('a = trimsuffix(<<EOT\none\ntwo\nEOT\n, "\\n")\n')
  })

  it('quotes several lines with carriage returns', () => {
    expect(attributeOf('one\r\ntwo\r\n')).toBe('a = "one\\r\\ntwo\\r\\n"\n')
  })

  it('aligns adjacent attributes and separates blocks', () => {
    const inner = block('inner', [], [attribute('list', ['a', 1, new Expression('var.x')])])
    const map = { entries: [['x-a', 'b'] as const, ['key', true] as const] }
    const body = [
      attribute('a', 1),
      attribute('long', true),
      inner,
      block('empty', [], []),
      attribute('m', map),
    ]
    expect(writeHcl([block('resource', ['t', 'n'], body), { item: 'comment', text: 'note' }])).toBe(
      [
        'resource "t" "n" {',
        '  a    = 1',
        '  long = true',
        '',
        '  inner {',
        '    list = ["a", 1, var.x]',
        '  }',
        '',
        '  empty {}',
        '',
        '  m = {',
        '    "x-a" = "b"',
        '    key   = true',
        '  }',
        '}',
        '',
        '# note\n',
      ].join('\n'),
    )
  })

  it('wraps long lists', () => {
    const long = 'x'.repeat(50)
    expect(writeHcl([attribute('a', [long, long])])).toBe(`a = [\n  "${long}",\n  "${long}",\n]\n`)
  })
})
