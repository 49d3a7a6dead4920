import fc from 'fast-check'
import Handlebars from 'handlebars'
import { describe, expect, it } from 'vitest'
import { renderRequest, renderTemplate } from './render.ts'

const variables = {
  HOST: 'api.example.com',
  BASE: 'https://api.example.com/v1',
  TOKEN: 'a b/ü&"<',
  LIST: 'a,b,c',
  COUNT: '5',
  EMPTY: '',
  year: 'mine',
}

const clock = { now: new Date('2026-03-04T05:06:07.089Z'), random: () => 0.5, uuid: () => 'a-uuid' }

function text(template: string): string {
  const rendered = renderTemplate(template, { variables, clock })
  return rendered.ok ? rendered.text : `error: ${rendered.error}`
}

describe('a template', () => {
  it.each([
    ['nothing to render } {', 'nothing to render } {'],
    ['https://{{HOST}}/x', 'https://api.example.com/x'],
    ['{{BASE}}/orders?page=1', 'https://api.example.com/v1/orders?page=1'],
    ['{{TOKEN}}', 'a%20b/%C3%BC&%22%3C'],
    ['{{{TOKEN}}}', 'a b/ü&"<'],
    ['{{&TOKEN}}', 'a b/ü&"<'],
    ['[{{MISSING}}]', '[]'],
    ['[{{MISSING.a.b}}]', '[]'],
    ['{{! a comment }}x{{!-- {{HOST}} --}}', 'x'],
    ['\\{{HOST}}', '{{HOST}}'],
    ['{{$UUID}} {{$RANDOM_NUMBER}}', 'a-uuid 5000'],
    ['{{moment "2 days ago" "YYYY-MM-DD"}}', '2026-03-02'],
    ['{{moment "X"}}', '1772600767'],
    ['{{{moment "next monday" "dddd HH:mm"}}}', 'Monday 05:06'],
    ['{{date "YYYY"}} {{{date}}}', '2026 March 04, 2026'],
    ['{{year}} {{#if (gt (year) 2000)}}later{{/if}}', 'mine later'],
    ['{{#if COUNT}}yes{{else}}no{{/if}}{{#if EMPTY}}yes{{else}}no{{/if}}', 'yesno'],
    ['{{#unless EMPTY}}none{{/unless}}', 'none'],
    ['{{#if EMPTY}}1{{else if COUNT}}2{{else}}3{{/if}}', '2'],
    ['{{#if 0 includeZero=true}}zero{{/if}}', 'zero'],
    ['{{#each (split LIST ",")}}{{@index}}{{this}}{{#unless @last}};{{/unless}}{{/each}}', '0a;1b;2c'],
    ['{{#each (split LIST ",") as |item i|}}{{item}}{{i}}{{/each}}', 'a0b1c2'],
    ['{{#each (split LIST ",")}}{{../HOST}}{{/each}}', 'api.example.comapi.example.comapi.example.com'],
    ['{{#each (split LIST ",")}}{{@root.COUNT}}{{COUNT}}{{/each}}', '555555'],
    ['{{#each MISSING}}x{{else}}none{{/each}}', 'none'],
    ['{{#with COUNT}}{{this}}{{/with}}{{#with MISSING}}x{{else}}none{{/with}}', '5none'],
    ['{{#COUNT}}set{{/COUNT}}{{^MISSING}}unset{{/MISSING}}', 'setunset'],
    ['{{split LIST "," 1}} {{split LIST "," -1}} {{split LIST "," 9}}', 'b a,b,c '],
    ['{{lookup (split LIST ",") 2}} {{lookup (split LIST ",") "length"}}', 'c 3'],
    ['{{replace LIST "," "-"}} {{replace LIST "" "-"}}', 'a-b-c a,b,c'],
    ['{{#startsWith "api" HOST}}yes{{/startsWith}}{{startsWith "x" HOST}}', 'yesfalse'],
    [
      '{{#eq COUNT "5"}}same{{else}}other{{/eq}} {{eq COUNT 5}} {{is COUNT 5}} {{isnt COUNT 5}}',
      'same false true false',
    ],
    ['{{gt COUNT 4}} {{gte COUNT 5}} {{lt COUNT 5}} {{lte COUNT 5}}', 'true true false true'],
    ['{{eq COUNT compare="5"}} {{gt MISSING 1}}', 'true false'],
    ['{{compare COUNT "==" 5}} {{compare COUNT "===" 5}} {{compare COUNT ">" 4}}', 'true false true'],
    ['{{compare COUNT "typeof" "string"}} {{compare COUNT "!==" 5}}', 'true true'],
    [
      '{{#unlessEq COUNT "5"}}other{{else}}same{{/unlessEq}} {{unlessGt COUNT 4}} {{unlessLt COUNT 4}}',
      'same false true',
    ],
    ['{{unlessGteq COUNT 5}} {{unlessLteq COUNT 4}}', 'false true'],
    [
      '{{isTruthy COUNT}} {{isTruthy "no"}} {{isFalsey "NULL"}} {{isFalsey MISSING}} {{#isFalsey COUNT}}a{{else}}b{{/isFalsey}}',
      'true false true true b',
    ],
    [
      '{{and COUNT HOST}} {{and COUNT EMPTY}} {{or EMPTY COUNT}} {{not COUNT}} {{neither EMPTY MISSING}}',
      'true false true false true',
    ],
    [
      '{{#contains LIST "b"}}in{{else}}out{{/contains}} {{has (split LIST ",") "b"}} {{contains LIST "a" 1}}',
      'in true false',
    ],
    ['{{default MISSING COUNT}} {{default COUNT "x"}} {{default MISSING}}', '5 5 '],
    ['{{ifEven COUNT}} {{ifOdd COUNT}} {{ifNth 5 COUNT}}', 'false true true'],
    ['{{LIST.length}}', '5'],
  ])('%s', (template, rendered) => {
    expect(text(template)).toBe(rendered)
  })

  it.each([
    ['an open tag', '{{HOST', /Parse error on line 1/],
    ['an open block', '{{#if HOST}}x', /Parse error/],
    ['a block closed by another name', '{{#if HOST}}x{{/each}}', /doesn't match/],
    ['an unknown function', '{{shout HOST}}', /unknown helper "shout"/],
    ['a partial', '{{> snippet}}', /partials .* are not supported/],
    ['a decorator', '{{* inline}}', /not supported/],
    ['a date nobody understands', '{{moment "some day" "X"}}', /date "some day" is not understood/],
    ['an unknown operator', '{{compare 1 "constructor" 2}}', /does not know/],
    ['a block without a value', '{{#if}}x{{/if}}', /needs a value/],
    ['too deep nesting', '{{#if HOST}}'.repeat(200) + '{{/if}}'.repeat(200), /nests too deeply/],
    ['too deep an expression', `{{not ${'(not '.repeat(300)}1${')'.repeat(300)}}}`, /nests too deeply/],
    ['too many tags', '{{HOST}}'.repeat(2001), /more than 2000 tags/],
    [
      'too many tags for its length',
      `{{HOST}}${'x'.repeat(900)}`.repeat(1000),
      /too many tags for its length/,
    ],
    ['too many words in a tag', `{{and ${"'}}' ".repeat(30_000)}}}`, /too much inside of its tags/],
    ['too many characters', `{{HOST}}${'x'.repeat(1_000_000)}`, /longer than 1000000/],
    [
      'a list that is too long',
      `{{#each (split "${','.repeat(20_000)}" ",")}}x{{/each}}`,
      /more than 10000 parts/,
    ],
    [
      'loops inside of loops',
      `${'{{#each (split LIST ",")}}'.repeat(12)}x${'{{/each}}'.repeat(12)}`,
      /more than 100000 steps/,
    ],
    [
      'output that is too long',
      `{{#each (split "${','.repeat(99)}" ",")}}${'x'.repeat(20_000)}{{/each}}`,
      /longer than 1000000/,
    ],
    [
      'text that multiplies itself',
      `{{replace (replace (replace "${'a'.repeat(500)}" "a" "${'a'.repeat(100)}") "a" "${'a'.repeat(100)}") "a" "aa"}}`,
      /more than 1000000 characters/,
    ],
  ])('with %s is refused as data', (_, template, error) => {
    expect(renderTemplate(template, { variables, clock })).toEqual({
      ok: false,
      error: expect.stringMatching(error),
    })
  })

  it.each([
    '{{constructor}}',
    '{{__proto__}}',
    '{{HOST.constructor}}',
    '{{HOST.constructor.constructor}}',
    '{{lookup this "constructor"}}',
    '{{lookup HOST "__proto__"}}',
    '{{lookup (split LIST ",") "constructor"}}',
    '{{#with HOST}}{{constructor}}{{this.constructor}}{{toString}}{{/with}}',
    '{{#with (split LIST ",")}}{{this.map}}{{this.__proto__}}{{push}}{{/with}}',
    '{{@root.constructor}}',
    '{{@root.__proto__.constructor}}',
    '{{@constructor}}',
    '{{this}}{{this.constructor}}{{./constructor}}{{../constructor}}',
    '{{#each this}}{{@key}}{{/each}}',
    '{{[__proto__]}}',
    '{{hasOwnProperty}}{{valueOf}}{{__defineGetter__}}{{__lookupGetter__}}',
  ])('%s reaches no prototype', (template) => {
    expect(text(template)).toBe('')
  })

  it.each([
    '{{constructor "x"}}',
    '{{__lookupGetter__ "x"}}',
    '{{helperMissing HOST}}',
    '{{#blockHelperMissing HOST}}{{/blockHelperMissing}}',
    '{{log HOST}}',
  ])('%s calls nothing', (template) => {
    expect(text(template)).toMatch(/^error: unknown helper/)
  })

  it('does not render templates in the value of a variable', () => {
    expect(renderTemplate('{{{A}}}', { variables: { A: '{{B}}', B: 'no' } })).toEqual({
      ok: true,
      text: '{{B}}',
    })
  })

  it('encodes whatever text a variable holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const rendered = renderTemplate('{{X}}', { variables: { X: value } })
        expect(rendered).toEqual({ ok: true, text: encodeURI(value.toWellFormed()) })
      }),
    )
  })

  it('never throws, whatever is written in it', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{{',
      '}}}',
      '#if ',
      '/if',
      'else',
      'X',
      ' ',
      '(',
      ')',
      '"',
      '../',
      '@',
      'as |x|',
      '~',
      '!--',
      '&',
      '>',
      '.',
      '[',
      ']',
      '=',
      'each ',
      '^',
      '\\',
      '1',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const rendered = renderTemplate(pieces.join(''), { variables: { X: 'x' } })
        return rendered.ok || rendered.error.length > 0
      }),
      { numRuns: 2000 },
    )
  })

  it('renders what Handlebars itself renders', () => {
    const own = Handlebars.create()
    own.registerHelper('split', (value: unknown, by: unknown) => String(value ?? '').split(String(by)))
    own.registerHelper('eq', (a: unknown, b: unknown) => a === b)
    const leaf = fc.constantFrom(
      'x',
      ' \n',
      '{{{A}}}',
      '{{{MISSING}}}',
      '{{~{A}~}}',
      '{{! no }}',
      '{{@index}}',
      '{{{this}}}',
    )
    const { template } = fc.letrec<{ template: string }>((tie) => ({
      template: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.tuple(tie('template'), tie('template')).map(([a, b]) => a + b),
        fc
          .tuple(
            fc.constantFrom('if A', 'if B', 'unless A', 'if (eq A "a,b")', 'if MISSING'),
            tie('template'),
            tie('template'),
          )
          .map(([head, a, b]) => `{{#${head}}}\n${a}{{else}}${b}\n{{/${head.split(' ')[0]}}}`),
        tie('template').map((a) => `{{#each (split @root.A ",")}}${a}{{/each}}`),
      ),
    }))
    const values = { A: 'a,b', B: '' }
    fc.assert(
      fc.property(template, (given) => {
        // At the top, and in our blocks, `this` and plain names differ on purpose.
        const source = `{{#each (split A ",")}}${given.replaceAll('A}', '@root.A}').replaceAll(' A', ' @root.A')}{{/each}}`
        const expected = own.compile(source)(values)
        expect(renderTemplate(source, { variables: values })).toEqual({ ok: true, text: expected })
      }),
      { numRuns: 300 },
    )
  })
})

describe('a request', () => {
  const request = {
    method: 'POST',
    url: '{{GROUP_BASE_URL}}/orders/{{COUNT}}',
    body: '{"id": "{{$UUID}}", "self": "{{REQUEST_URL}}"}',
    headers: [{ key: 'x-{{HOST}}', value: 'Bearer {{{TOKEN}}}', locked: true }],
    queryParameters: [{ key: 'q', value: '{{TOKEN}}' }],
    basicAuth: { username: '{{COUNT}}', password: '{{{TOKEN}}}' },
  }

  it('is rendered field by field, its other fields left alone', () => {
    expect(renderRequest(request, { variables, clock, groupBaseUrl: 'https://{{HOST}}/v1' })).toEqual({
      ok: true,
      request: {
        method: 'POST',
        url: 'https://api.example.com/v1/orders/5',
        body: '{"id": "a-uuid", "self": "https://api.example.com/v1/orders/5"}',
        headers: [{ key: 'x-{{HOST}}', value: 'Bearer a b/ü&"<', locked: true }],
        queryParameters: [{ key: 'q', value: 'a b/ü&"<' }],
        basicAuth: { username: '5', password: 'a b/ü&"<' },
      },
      undefinedText: null,
    })
  })

  it('without templates is the same request', () => {
    const plain = { url: 'https://example.com/', followRedirects: true, basicAuth: null }
    expect(renderRequest(plain, { variables: {} })).toEqual({
      ok: true,
      request: plain,
      undefinedText: null,
    })
  })

  it('renders metadata and other texts by name, without encoding what they hold', () => {
    const texts = { port: '{{PORT}}', message: '{"name":"{{NAME}}"}', method: '{{NOWHERE}}', service: null }
    const metadata = [{ key: 'name', value: '{{NAME}} {{NOBODY}}' }]
    const variables = { PORT: '443', NAME: 'Ann Lee' }
    expect(renderRequest({ url: 'a.test', metadata, texts }, { variables })).toEqual({
      ok: true,
      request: {
        url: 'a.test',
        metadata: [{ key: 'name', value: 'Ann Lee ' }],
        texts: { port: '443', message: '{"name":"Ann Lee"}', method: '', service: null },
      },
      undefinedText:
        "The variable NOBODY isn't defined; it is used in the metadata name. The variable NOWHERE isn't defined; it is used in the method.",
    })
  })

  it('without a group has an empty base address', () => {
    expect(renderRequest({ url: '{{GROUP_BASE_URL}}/x' }, { variables: {} })).toEqual({
      ok: true,
      request: { url: '/x' },
      undefinedText: "The variable GROUP_BASE_URL isn't defined; it is used in the URL.",
    })
  })

  it('names variables that are not defined, and where they are used', () => {
    const request = {
      url: '{{NOPE}}/{{HOST}}',
      headers: [{ key: 'authorization', value: 'Bearer {{NOPE}}' }],
      body: '{{#if MAYBE}}{{MAYBE}}{{/if}}{{default OTHER "x"}}{{TOKEN}}{{$UUID}}{{moment}}{{user.name}}',
    }
    expect(renderRequest(request, { variables, clock })).toMatchObject({
      ok: true,
      request: { url: '/api.example.com' },
      undefinedText:
        "The variable NOPE isn't defined; it is used in the URL and the header authorization. The variable user.name isn't defined; it is used in the body.",
    })
  })

  it('that cannot be rendered is a failure that names every bad field', () => {
    const bad = { url: '{{#if}}', headers: [{ key: 'x-id', value: '{{shout A}}' }], body: '{{ok}}' }
    const rendered = renderRequest(bad, { variables: {} })
    expect(rendered).toEqual({
      ok: false,
      failure: {
        kind: 'script',
        phase: 'setup',
        message: expect.stringMatching(
          /^The request couldn't be built: URL: Parse error.*header x-id: unknown helper "shout"/,
        ),
      },
    })
  })
})
