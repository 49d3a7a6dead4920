import { escapeMarkup } from '@vedette/safeguards/markup'
import { describe, expect, it } from 'vitest'
import { cut, oneLine } from './plain-text.ts'

describe('untrusted text', () => {
  it('is cut to the limit without splitting an emoji', () => {
    expect(cut('abc', 3)).toBe('abc')
    expect(cut('abcd', 3)).toBe('ab…')
    expect(cut('a💥💥💥', 4)).toBe('a💥…')
    expect(cut('aa💥💥💥', 4)).toBe('aa…')
    expect(cut('💥\ud83d', 10)).toBe('💥\ufffd')
  })

  it('becomes one line, without control characters', () => {
    expect(oneLine(' a\r\nBcc: b\u0000\u2028\u0085 c\t', 100)).toBe('a Bcc: b c')
  })

  it('is escaped for markup, without characters that XML cannot contain', () => {
    expect(escapeMarkup(`<a href="x">'&amp;'\u0000\u0008\ufffe</a>`)).toBe(
      '&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;&lt;/a&gt;',
    )
  })
})
