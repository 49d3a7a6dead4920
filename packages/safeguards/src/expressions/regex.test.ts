import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findByRegex } from './regex.ts'

describe('a regular expression of a user', () => {
  it.each([
    ['the whole match without a group', 'v\\d+', 'api v12 ok', 'v12'],
    ['the first group', 'v(\\d+)\\.(\\d+)', 'v1.2', '1'],
    ['a named group', 'id=(?<id>\\w+)', 'id=abc;', 'abc'],
    ['nothing when there is no match', 'x', 'abc', null],
    ['nothing when the first group took no part', '(a)|b', 'b', null],
    ['an empty match', '(a*)', 'b', ''],
    ['an empty pattern', '', 'abc', ''],
    ['inline flags', '(?i)HELLO (\\w+)', 'hello World', 'World'],
    ['only the first line without m', '^b', 'a\nb', null],
    ['every line with m', '(?m)^b', 'a\nb', 'b'],
    ['a dot that stops at the end of a line', 'a.b', 'a\nb', null],
    ['a dot that does not with s', '(?s)a.b', 'a\nb', 'a\nb'],
    ['slashes escaped as in JavaScript', 'a\\/b', 'a/b', 'a/b'],
    ['code points as JavaScript writes them', '\\u00e9', 'é', 'é'],
    ['look-behinds', '(?<=total: )\\d+', 'total: 42', '42'],
    ['characters beyond the basic plane', '(.)!', '😀!', '😀'],
  ])('finds %s', (_, pattern, text, value) => {
    expect(findByRegex(pattern, text)).toEqual({ ok: true, value })
  })

  it.each([
    ['an open bracket', '(a', /missing closing \)/],
    ['a look-ahead', 'a(?=b)', /look-aheads .* are not supported/],
    ['a negative look-ahead', 'a(?!b)', /look-aheads .* are not supported/],
    ['a back-reference', '(a)\\1', /back-references .* are not supported/],
    ['a repetition that grows too large', '((a{100}){100}){100}', /not a valid regular expression/],
    ['classes that take long to compile', `(?i)${'\\pL?'.repeat(41)}`, /too many character classes/],
    ['a pattern that is too long', 'a'.repeat(5001), /longer than 5000/],
    ['one that nests too deeply', `${'('.repeat(2400)}a${')'.repeat(2400)}`, /nests too deeply/],
  ])('tells as data what is wrong with %s', (_, pattern, error) => {
    expect(findByRegex(pattern, 'text')).toEqual({ ok: false, error: expect.stringMatching(error) })
  })

  it('is fast where a backtracking engine would not be', () => {
    expect(findByRegex('^(a+)+$', `${'a'.repeat(50_000)}!`)).toEqual({ ok: true, value: null })
  })

  it('refuses a text that the expression is too costly for', () => {
    const result = findByRegex('(?:a?){900}b$', 'a'.repeat(1_000_000))
    expect(result).toEqual({ ok: false, error: expect.stringMatching(/too costly for a text of 1000000/) })
  })

  it('never throws, whatever the pattern and the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (pattern, text) => {
        const result = findByRegex(pattern, text)
        return result.ok ? result.value === null || text.includes(result.value) : result.error.length > 0
      }),
    )
  })

  it('agrees with JavaScript on simple patterns', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '(a)',
      '(b|a)',
      '.',
      '[ab]',
      'a*',
      'b+',
      'a?',
      '^',
      '$',
      '\\d',
      '\\w',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.stringMatching(/^[ab1 ]{0,12}$/), (pieces, text) => {
        const pattern = pieces.join('')
        const match = new RegExp(pattern).exec(text)
        const value = match === null ? null : ((match.length > 1 ? match[1] : match[0]) ?? null)
        expect(findByRegex(pattern, text)).toEqual({ ok: true, value })
      }),
    )
  })
})
