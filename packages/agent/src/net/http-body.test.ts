import { describe, expect, it } from 'vitest'
import { cutText, isBinary, isJson, maxStoredBytes, textOf, toStoredBody } from './http-body.ts'

it.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON', true],
  ['application/problem+json', true],
  ['application/vnd.api.v1+json;x=y', true],
  ['text/json', true],
  ['text/html', false],
  ['application/jsonp', false],
  ['application/json-seq', false],
  ['', false],
])('takes %j for JSON: %s', (contentType, expected) => {
  expect(isJson(contentType)).toBe(expected)
})

it.each([
  ['application/pdf', true],
  ['application/zip', true],
  ['application/octet-stream', true],
  ['application/ogg', true],
  ['audio/mpeg', true],
  ['video/mp4; codecs=x', true],
  ['image/png', true],
  ['image/svg+xml', false],
  ['text/plain', false],
  ['', false],
])('takes %j for binary: %s', (contentType, expected) => {
  expect(isBinary(contentType)).toBe(expected)
})

it.each([
  ['é', 'utf8', 'text/plain', 'é'],
  ['é', 'latin1', 'text/plain; charset=ISO-8859-1', 'é'],
  ['é', 'latin1', 'text/plain; charset="windows-1252"', 'é'],
  ['é', 'utf8', 'text/plain; charset=nonsense', 'é'],
  ['\uFEFF{}', 'utf8', 'application/json', '{}'],
] as const)('reads %j in %s as %s', (text, encoding, contentType, expected) => {
  expect(textOf(Buffer.from(text, encoding), contentType)).toBe(expected)
})

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['aé', 2, 'a'],
  ['é😀', 5, 'é'],
  ['😀😀', 4, '😀'],
])('cuts %j to %i bytes: %j', (text, maxBytes, expected) => {
  expect(cutText(text, maxBytes)).toBe(expected)
})

const keptBody = (body: Buffer, truncated = false) => ({ body, bodyBytes: body.length, truncated })

describe('toStoredBody', () => {
  const bytes = Buffer.from('content')

  it('keeps text', () => {
    expect(toStoredBody(keptBody(bytes), 'content', 'text/plain', false)).toEqual({
      body: 'content',
      truncated: false,
    })
  })

  it('marks the body as truncated', () => {
    expect(toStoredBody(keptBody(bytes, true), 'content', 'text/plain', false)).toEqual({
      body: 'content',
      truncated: true,
    })
  })

  it('cuts what is long', () => {
    const text = 'x'.repeat(maxStoredBytes + 1)
    const { body, truncated } = toStoredBody(keptBody(Buffer.from(text)), text, 'text/plain', false)
    expect([body.length, truncated]).toEqual([maxStoredBytes, true])
  })

  it('marks a body as truncated if only its beginning was kept', () => {
    const { body, truncated } = toStoredBody(
      { ...keptBody(bytes), bodyBytes: 1_000_000 },
      'content',
      'text/plain',
      false,
    )
    expect([body, truncated]).toEqual(['content', true])
  })

  it('decodes only the beginning of a large body, and no half character at its end', () => {
    const large = Buffer.from('é'.repeat(300_001))
    const shifted = Buffer.concat([Buffer.from('x'), large])
    const { body, truncated } = toStoredBody(keptBody(shifted), null, 'text/plain', false)
    expect(truncated).toBe(true)
    expect(body).toBe(`x${'é'.repeat((maxStoredBytes - 2) / 2)}`)
  })

  it.each([
    ['NUL', '\0'.repeat(maxStoredBytes)],
    ['text and control characters', 'ab\x01\x02'.repeat(100_000)],
    ['text after control characters', `${'\0'.repeat(1000)}${'x'.repeat(maxStoredBytes)}`],
  ])('keeps a body of %s as small as its JSON may be', (_, text) => {
    const { body, truncated } = toStoredBody(keptBody(Buffer.from(text)), text, 'text/plain', false)
    expect(truncated).toBe(true)
    expect(text.startsWith(body)).toBe(true)
    const escaped = JSON.stringify(JSON.stringify(body)).length
    expect(escaped).toBeLessThan(maxStoredBytes + 100)
    expect(escaped).toBeGreaterThan(maxStoredBytes - 100)
  })

  it('keeps all of a text with line breaks and tabs', () => {
    const text = 'a\tline\r\n'.repeat(1000)
    expect(toStoredBody(keptBody(Buffer.from(text)), text, 'text/plain', false)).toEqual({
      body: text,
      truncated: false,
    })
  })

  it('replaces binary content by a note', () => {
    expect(toStoredBody(keptBody(bytes), null, 'application/pdf', false)).toEqual({
      body: '[application/pdf, 7 bytes: not kept]',
      truncated: false,
    })
  })

  it('keeps it as text when someone asserts on that', () => {
    expect(toStoredBody(keptBody(bytes), 'content', 'application/pdf', true).body).toBe('content')
  })

  it('keeps small images, and no large ones', () => {
    expect(toStoredBody(keptBody(bytes), null, 'image/png', false)).toEqual({
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
      truncated: false,
    })
    expect(toStoredBody(keptBody(Buffer.alloc(50_001)), null, 'image/png', false).body).toMatch(
      /^\[image\/png, 50001/,
    )
  })
})
