import { describe, expect, it } from 'vitest'
import { errorTextOf } from './error-text.ts'

const json = 'application/json'
const of = (body: string, contentType = json, status = 500, truncated = false) =>
  errorTextOf({ status, contentType, body, truncated })

describe('the error that a response states', () => {
  it.each([
    ['{"error":"database connection pool exhausted"}', 'database connection pool exhausted'],
    ['{"error":{"code":7,"message":"no such user"}}', 'no such user'],
    ['{"message":"upstream is down"}', 'upstream is down'],
    [
      '{"type":"about:blank","title":"Out of stock","detail":"Rye is sold out.","status":500}',
      'Out of stock: Rye is sold out.',
    ],
    ['{"title":"Out of stock"}', 'Out of stock'],
    [
      '{"statusCode":400,"error":"Bad Request","message":"The cart is empty"}',
      'Bad Request: The cart is empty',
    ],
    ['{"errors":[{"message":"field missing"},{"message":"other"}]}', 'field missing'],
    ['{"errors":["field missing"]}', 'field missing'],
    ['"plain JSON string"', 'plain JSON string'],
    ['{"error":"database connection pool exhausted","items":[1,2', 'database connection pool exhausted'],
    ['{"customer":{"name":"Ann","card":"4111"}}', null],
    ['{"error":""}', null],
    ['[]', null],
    ['', null],
  ])('in JSON: %s', (body, text) => {
    expect(of(body)).toBe(text)
  })

  it('is the title and heading of an HTML page', () => {
    const page =
      '<!DOCTYPE html><html><head><title>Sorry &amp; goodbye</title></head><body><h1 class="x">Out of <b>flour</b></h1><p>Ann, your card 4111</p>'
    expect(of(page, 'text/html')).toBe('Sorry & goodbye: Out of flour')
    expect(of('<html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>', '')).toBe('502 Bad Gateway')
  })

  it('is short plain text', () => {
    expect(of('  upstream connect error\n or disconnect ', 'text/plain')).toBe(
      'upstream connect error or disconnect',
    )
    expect(of('x'.repeat(5_000), 'text/plain')).toBeNull()
    expect(of('\u0000\u0001binary', '')).toBeNull()
  })

  it('is only a field named after errors if the status is no error', () => {
    expect(of('{"error":"not ready"}', json, 200)).toBe('not ready')
    expect(of('{"message":"Hello, Ann"}', json, 200)).toBeNull()
    expect(of('<title>Shop</title>', 'text/html', 200)).toBeNull()
    expect(of('Hello, Ann', 'text/plain', 200)).toBeNull()
  })

  it('shows no credentials', () => {
    const text = of(
      '{"error":"connect postgres://app:hunter2@db/x failed, password=hunter2; token: hunter2, Bearer hunter2hunter2"}',
    )
    expect(text).toContain('postgres://*********@db/x failed')
    expect(text).not.toContain('hunter2')
  })

  it('is found in bounded time in hostile bodies', () => {
    expect(of(`<title>${'<'.repeat(1_000_000)}`, 'text/html')).toBeNull()
    expect(of(`{"error":"${'\\'.repeat(1_000_000)}`)).toBeNull()
    expect(of(`${'{"error":'.repeat(2_000)}1${'}'.repeat(2_000)}`)).toBeNull()
  })
})
