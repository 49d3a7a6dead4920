import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScrubber, mask, maskRequestHeaders } from './scrub.ts'

const secret = 'p@ss/w0rd "é" <&\'>'

const encodings: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded as an address', encodeURI],
  [
    'URL-encoded with small letters',
    (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['as a form', (text) => new URLSearchParams({ v: text }).toString().slice(2)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 for URLs', (text) => Buffer.from(text).toString('base64url')],
  ['in base64 in an address', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in hexadecimal with large letters', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['as a buffer is printed', (text) => inspect(Buffer.from(text)).slice('<Buffer '.length, -1)],
  ['URL-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  [
    'JSON-escaped, then in base64',
    (text) => Buffer.from(JSON.stringify(text).slice(1, -1)).toString('base64'),
  ],
  ['URL-encoded, then in hexadecimal', (text) => Buffer.from(encodeURIComponent(text)).toString('hex')],
  ['JSON-escaped', (text) => JSON.stringify(text).slice(1, -1)],
  ['JSON-escaped twice', (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ['JSON-escaped with slashes', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['JSON-escaped in ASCII', (text) => escapeUnicode(JSON.stringify(text).slice(1, -1))],
  ['HTML-escaped', (text) => escapeHtml(text, '&#39;')],
  ['HTML-escaped in hexadecimal', (text) => escapeHtml(text, '&#x27;')],
  ['as an array of bytes', (text) => JSON.stringify([...Buffer.from(text)]).slice(1, -1)],
  ['as an array of bytes with spaces', (text) => [...Buffer.from(text)].join(', ')],
  ['as numeric entities', (text) => [...text].map((char) => `&#${char.codePointAt(0)};`).join('')],
  [
    'as numeric entities in hexadecimal',
    (text) => [...text].map((char) => `&#x${char.codePointAt(0)?.toString(16).toUpperCase()};`).join(''),
  ],
  [
    'URL-encoded whole',
    (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ],
  [
    'escaped whole',
    (text) => text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
]

function escapeUnicode(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function escapeHtml(text: string, quote: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": quote }
  return text.replace(/[&<>"']/g, (char) => names[char] ?? char)
}

describe('a scrubbed text', () => {
  it.each(encodings)('contains no secret %s', (_, encode) => {
    expect(createScrubber([secret]).text(`a ${encode(secret)} b`)).toBe(`a ${mask} b`)
  })

  it.each([0, 1, 2, 3])('contains no secret inside longer base64, after %d characters', (before) => {
    const text = Buffer.from(`${'u'.repeat(before)}:${secret}:more`).toString('base64')
    const scrubbed = createScrubber([secret]).text(text)
    expect(scrubbed).toContain(mask)
    expect(Buffer.from(scrubbed, 'base64').toString()).not.toContain('w0rd')
  })

  it.each(['u', 'us', 'use', 'user'])('leaves no end of the base64 of "%s:secret"', (user) => {
    for (const value of [secret, `${secret}1`, `${secret}12`]) {
      const scrub = createScrubber([value])
      for (const encoding of ['base64', 'base64url'] as const)
        expect(scrub.text(Buffer.from(`${user}:${value}`).toString(encoding))).toMatch(/\*$/)
    }
  })

  it.each(['/', '*', '/artifact/', 'https://', 'http://', '*********', '123', '', 'a', 'ab', '   ', '****'])(
    'keeps %j, which is not worth masking',
    (value) => {
      const text = `https://x/artifact/ab 123 *** ${value} http://`
      expect(createScrubber([value]).text(text)).toBe(text)
    },
  )

  it.each([
    ['all of them', ['abcd', 'wxyz'], 'abcd wxyz abcd', `${mask} ${mask} ${mask}`],
    ['the longer of two that begin alike', ['abc', 'abcdef'], '-abcdef-', `-${mask}-`],
    ['overlapping ones as one', ['abcd', 'cdef'], '-abcdef-', `-${mask}-`],
    ['one inside another', ['xabcx', 'abc'], '-xabcx-', `-${mask}-`],
    ['adjacent ones', ['abcd'], 'abcdabcd', mask],
    ['at both ends', ['abc'], 'abc-abc', `${mask}-${mask}`],
    ['one without its line break', ['abcdef\n'], 'x abcdef y', `x ${mask} y`],
    ['one that repeats itself', ['aaaa'], 'aaaaaaa', mask],
    ['none', ['abcd'], 'abc', 'abc'],
    ['nothing of an empty text', ['abcd'], '', ''],
  ])('masks %s', (_, secrets, text, scrubbed) => {
    expect(createScrubber(secrets).text(text)).toBe(scrubbed)
  })

  it('contains no secret in the form of a file name of a test runner', () => {
    expect(createScrubber(['my_secret/key']).text('a-my-secret-key/trace.zip')).toBe(`a-${mask}/trace.zip`)
  })

  it('contains no secret that color sequences split, and keeps other colors', () => {
    const { text } = createScrubber(['swordfish'])
    expect(text('got "sword\x1b[7mfish\x1b[27m"')).toBe(`got "${mask}"`)
    expect(text('\x1b[31mred\x1b[0m')).toBe('\x1b[31mred\x1b[0m')
  })

  it('masks the rest of a truncated long secret', () => {
    const long = Array.from({ length: 300 }, (_, index) => index.toString(36)).join('')
    const { text } = createScrubber([long])
    expect(text(`key: ${long}.`)).toBe(`key: ${mask}.`)
    expect(text(`key: ${long.slice(0, 200)}`)).toBe(`key: ${mask}`)
  })

  it('contains no secret, in any form', () => {
    const value = fc.oneof(
      fc.string({ minLength: 4, maxLength: 12 }),
      fc.string({ minLength: 4, maxLength: 90, unit: 'grapheme' }),
      fc.string({ minLength: 4, maxLength: 6, unit: fc.constantFrom('a', 'b', '*') }),
    )
    const secrets = fc.array(value, { minLength: 1, maxLength: 5 })
    const piece = fc.record({ secret: fc.nat(), encoding: fc.nat(), between: fc.string({ maxLength: 5 }) })
    fc.assert(
      fc.property(secrets, fc.array(piece, { maxLength: 8 }), (all, pieces) => {
        const hidden = all.filter((one) => one.trim().length >= 4 && !/^[*\s]+$/.test(one))
        const forms = (one: string) => encodings.map(([, encode]) => encode(one))
        const text = pieces
          .map(({ secret, encoding, between }) => {
            const list = forms(all[secret % all.length]!)
            return list[encoding % list.length] + between
          })
          .join('')
        const scrubbed = createScrubber(all).text(text)
        for (const one of hidden) for (const form of forms(one)) expect(scrubbed).not.toContain(form)
      }),
      { numRuns: 500 },
    )
  })

  it('without a secret is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abc {}":,') }), (text) => {
        expect(createScrubber(['SECRET-1', 'SECRET-2']).text(text)).toBe(text)
      }),
    )
  })

  it('takes one pass for many secrets, hostile ones included', () => {
    const alike = Array.from({ length: 300 }, (_, index) => `sk_live_${index}_${'k'.repeat(index % 70)}`)
    const periodic = [`${'a'.repeat(50_000)}b`, `${'ab'.repeat(30_000)}c`]
    const { text } = createScrubber([...alike, ...periodic, '**a'])
    for (const body of ['sk_live_'.repeat(32_000), 'a'.repeat(256_000), 'ab'.repeat(128_000)]) {
      expect(text(body).length).toBeLessThanOrEqual(body.length)
    }
  })
})

describe('a scrubbed document', () => {
  const { json } = createScrubber(['secret-1', '424242'])

  it('has strings and keys masked, and is otherwise unchanged', () => {
    const given = { a: ['x secret-1', { 'secret-1': null, b: [true, 1.5] }], c: 'plain' }
    expect(json(given)).toEqual({ a: [`x ${mask}`, { [mask]: null, b: [true, 1.5] }], c: 'plain' })
    expect(given.c).toBe('plain')
  })

  it('keeps numbers', () => {
    expect(json({ time: 424242 })).toEqual({ time: 424242 })
  })

  it('keeps `__proto__` a plain key', () => {
    const scrubbed = json(JSON.parse('{"__proto__": {"admin": "secret-1"}}'))
    expect(JSON.stringify(scrubbed)).toBe(`{"__proto__":{"admin":"${mask}"}}`)
    expect(Object.getPrototypeOf(scrubbed)).toBe(Object.prototype)
  })

  it('is masked where it is nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}"secret-1"${']'.repeat(5000)}`)
    expect(JSON.stringify(json(deep))).not.toContain('secret-1')
  })

  it('contains no secret in any string or key', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.jsonValue(), (hidden, value) => {
        fc.pre(hidden.trim().length >= 4 && !/^[*\s]+$/.test(hidden))
        const given = { [`k${hidden}`]: [value, hidden, { deep: `x${hidden}y` }] }
        const texts: string[] = []
        JSON.stringify(createScrubber([hidden]).json(given), (key, inner) => {
          texts.push(key)
          if (typeof inner === 'string') texts.push(inner)
          return inner
        })
        return !texts.some((text) => text.includes(hidden))
      }),
    )
  })
})

it('masks credentials in the headers of a request, in upper or lower case', () => {
  const headers = { Authorization: 'Basic eDp5', COOKIE: 'a=b', 'x-api-key': 'k', accept: '*/*' }
  expect(maskRequestHeaders(headers)).toEqual({
    Authorization: mask,
    COOKIE: mask,
    'x-api-key': mask,
    accept: '*/*',
  })
})

describe('lines that repeat the headers of a request', () => {
  const { text, json } = createScrubber([], { headerLines: true })

  it.each([
    ['Authorization: Bearer a b', `Authorization: ${mask}`],
    ['  - x-api-key: abc\n  - accept: */*', `  - x-api-key: ${mask}\n  - accept: */*`],
    ['\x1b[2m  set-cookie: a=b; Path=/\r\nx', `\x1b[2m  set-cookie: ${mask}\r\nx`],
    ["{ authorization: 'Bearer abc', a: 1 }", `{ authorization: '${mask}', a: 1 }`],
    ['{"Proxy-Authorization":"Basic x","a":1}', `{"Proxy-Authorization":"${mask}","a":1}`],
    ['{\\"cookie\\":\\"a=b\\",\\"c\\":1}', `{\\"cookie\\":\\"${mask}\\",\\"c\\":1}`],
    ['authorization: "never closed', `authorization: "${mask}`],
  ])('are masked: %j', (given, masked) => {
    expect(text(given)).toBe(masked)
    expect(text(masked)).toBe(masked)
    expect(json({ a: [given] })).toEqual({ a: [masked] })
  })

  it.each([
    'the cookie: it was eaten',
    'needs authorization',
    'Authorization:',
    'cookie = none',
    'cookies: 3 of them',
    'https://x/?authorization=1',
  ])('are not seen in %j', (given) => {
    expect(text(given)).toBe(given)
  })

  it('are unchanged by default', () => {
    expect(createScrubber(['swordfish']).text('authorization: abc')).toBe('authorization: abc')
  })
})
