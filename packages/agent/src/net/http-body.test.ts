import { describe, expect, it } from 'vitest'
import { cutText, isBinary, isJson, maxStoredBytes, storedBody, textOf } from './http-body.ts'

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

describe('storedBody', () => {
  const bytes = Buffer.from('content')

  it('keeps text', () => {
    expect(storedBody(bytes, 'content', 'text/plain', false, false)).toEqual({
      body: 'content',
      truncated: false,
    })
  })

  it('says that the body went on', () => {
    expect(storedBody(bytes, 'content', 'text/plain', true, false)).toEqual({
      body: 'content',
      truncated: true,
    })
  })

  it('cuts what is long', () => {
    const text = 'x'.repeat(maxStoredBytes + 1)
    const { body, truncated } = storedBody(Buffer.from(text), text, 'text/plain', false, false)
    expect([body.length, truncated]).toEqual([maxStoredBytes, true])
  })

  it('replaces binary content by a note', () => {
    expect(storedBody(bytes, null, 'application/pdf', false, false)).toEqual({
      body: '[application/pdf, 7 bytes: not kept]',
      truncated: false,
    })
  })

  it('keeps it as text when someone asserts on that', () => {
    expect(storedBody(bytes, 'content', 'application/pdf', false, true).body).toBe('content')
  })

  it('keeps small images, and no large ones', () => {
    expect(storedBody(bytes, null, 'image/png', false, false)).toEqual({
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
      truncated: false,
    })
    expect(storedBody(Buffer.alloc(50_001), null, 'image/png', false, false).body).toMatch(
      /^\[image\/png, 50001/,
    )
  })
})
