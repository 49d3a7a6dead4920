import fc from 'fast-check'
import { jsonpath } from 'json-p3'
import { describe, expect, it } from 'vitest'
import { queryJson } from './json-path.ts'

const store = {
  name: 'Vedette',
  open: true,
  tags: ['a', 'b', 'c'],
  items: [
    { id: 1, price: 5, kind: 'book', size: { w: 1 } },
    { id: 2, price: 15, kind: 'bike' },
    { id: 3, price: 25, kind: 'book', notes: [] },
  ],
  none: null,
  box: { length: 7, 'odd key': 1 },
}

describe('a JSONPath of a user', () => {
  it.each<[string, unknown[]]>([
    ['', [store]],
    ['$', [store]],
    ['$ ', [store]],
    ['$.name', ['Vedette']],
    ['$.none', [null]],
    ['$.missing', []],
    ['$.items[0].id', [1]],
    ['$.items[-1].id', [3]],
    ['$.items[9]', []],
    ['$.tags[0:2]', ['a', 'b']],
    ['$.tags[::-1]', ['c', 'b', 'a']],
    ['$.tags[5:0:-2]', ['c']],
    ['$.tags[::0]', []],
    ['$.tags[0,2]', ['a', 'c']],
    ["$.box['odd key']", [1]],
    ['$.items[*].id', [1, 2, 3]],
    ['$..id', [1, 2, 3]],
    ['$.items[?(@.price > 10)].id', [2, 3]],
    ["$.items[?@.kind == 'book' && @.price < 10].id", [1]],
    ["$.items[?!(@.kind == 'book')].id", [2]],
    ['$.items[?@.notes].id', [3]],
    ['$.items[?!@.notes].id', [1, 2]],
    ['$.items[?@.missing == $.alsoMissing].id', [1, 2, 3]],
    ['$.items[?@.size == $.items[0].size].id', [1]],
    ["$.items[?match(@.kind, 'b..k')].id", [1, 3]],
    ["$.items[?search(@.kind, 'i')].id", [2]],
    ['$.items[?length(@.kind) == 4].id', [1, 2, 3]],
    ['$.items[?count(@.*) > 3].id', [1, 3]],
    ['$.items.length', [3]],
    ['$.name.length', [7]],
    ['$.tags[*].length', [1, 1, 1]],
    ['$.box.length', [7]],
    ['$.open.length', []],
    ['$.items[?@.kind.length == 4].id', [1, 2, 3]],
  ])('%s finds what it names', (path, values) => {
    expect(queryJson(path, store)).toEqual({ ok: true, values })
  })

  it.each([
    ['no dollar', 'items'],
    ['an open bracket', '$.items['],
    ['a script', '$.items[(@.length-1)]'],
    ['a call', "$.items[?constructor('x')]"],
    ['brackets by the thousand', `$${'[?('.repeat(1600)}`],
    ['too many characters', `$.${'a'.repeat(5000)}`],
  ])('with %s is refused as data', (_, path) => {
    expect(queryJson(path, store)).toEqual({ ok: false, error: expect.any(String) })
  })

  it.each([
    '$.constructor',
    '$.__proto__',
    '$.toString',
    "$['hasOwnProperty']",
    '$.tags.map',
    '$.tags.constructor',
  ])('%s reaches no prototype', (path) => {
    expect(queryJson(path, store)).toEqual({ ok: true, values: [] })
  })

  it('counts characters, not UTF-16 units', () => {
    expect(queryJson('$.length', '😀😀')).toEqual({ ok: true, values: [2] })
  })

  it('finds its way through arrays larger than a call can take', () => {
    const many = Array.from({ length: 99_999 }, (_, index) => index)
    expect(queryJson('$[-1]', many)).toEqual({ ok: true, values: [99_998] })
    expect(queryJson('$[*]', many)).toEqual({ ok: true, values: many })
  })

  it.each([
    ['values found', '$[*]', /more than 100000 values/],
    ['steps', '$[?count($[:1000]) > 0]', /more than 2000000 steps/],
    ['steps of nested descents', '$..[?$..[?$..*]]', /more than/],
  ])('is stopped by the limit of %s', (_, path, error) => {
    const many = Array.from({ length: 150_000 }, (_, index) => index)
    expect(queryJson(path, many)).toEqual({ ok: false, error: expect.stringMatching(error) })
  })

  it('is stopped by the depth of a document', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(queryJson('$..*', deep)).toEqual({
      ok: false,
      error: expect.stringMatching(/deeper than 200 levels/),
    })
    expect(queryJson('$[?$ == $[0]]', deep)).toEqual({
      ok: false,
      error: expect.stringMatching(/too deeply/),
    })
  })

  it('charges costly patterns of match() and search()', () => {
    const texts = Array.from({ length: 500 }, () => 'a'.repeat(1000))
    const result = queryJson("$[?search(@, '(a?){500}b')]", texts)
    expect(result).toEqual({ ok: false, error: expect.stringMatching(/more than 2000000 steps/) })
  })

  it('agrees with the reference implementation', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, 0, 1, 'x', 'ab'),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(name, tie('json'), { maxKeys: 3 }),
      ),
    }))
    const test = fc.constantFrom(
      '@.a',
      '!@.b',
      '@.a == 1',
      '@.a != $.b',
      '@ >= 1',
      "@ < 'b'",
      'length(@.a) == 1',
      'count(@.*) == 2',
      'value(@..a) == 1',
      "@.a == @.b || match(@, 'a.')",
      '@[0] == null && @.c',
    )
    const segment = fc.oneof(
      name.map((key) => `.${key}`),
      name.map((key) => `..${key}`),
      fc.constantFrom(
        '[0]',
        '[-1]',
        '[*]',
        '..*',
        '[1:]',
        '[::-1]',
        "['a','b']",
        '[0,*]',
        '[-2:-1]',
        '[:-1:2]',
      ),
      test.map((filter) => `[?${filter}]`),
    )
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), json, (segments, document) => {
        const path = `$${segments.join('')}`
        const values = jsonpath.query(path, document as null).values()
        expect(queryJson(path, document)).toEqual({ ok: true, values })
      }),
      { numRuns: 1000 },
    )
  })

  it('never throws, whatever the path', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'$.[]*?@()\'"!=<>&|:,0123ab length~#\\') })
    fc.assert(
      fc.property(noise, (path) => typeof queryJson(`$${path}`, store).ok === 'boolean'),
      { numRuns: 2000 },
    )
  })
})
