import { describe, expect, it } from 'vitest'
import { isFailure } from './failure.ts'
import { buildRequest, type OutgoingRequest, type RequestSettings, redirectOf } from './http-request.ts'

const settings: RequestSettings = {
  method: 'GET',
  url: 'http://example.test/',
  body: '',
  bodyType: 'NONE',
  headers: [],
  queryParameters: [],
  basicAuth: null,
}

function built(over: Partial<RequestSettings>): OutgoingRequest {
  const request = buildRequest({ ...settings, ...over }, 'Vedette/1')
  if (isFailure(request)) throw new Error(request.message)
  return request
}

describe('buildRequest', () => {
  it('has default headers', () => {
    expect(built({}).headers).toEqual({
      'user-agent': 'Vedette/1',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate',
    })
  })

  it('lets headers of the check win, whatever their case, and sends those given twice twice', () => {
    const headers = [
      { key: 'Accept', value: 'text/html' },
      { key: 'X-Tag', value: 'a' },
      { key: 'x-tag', value: 'b' },
      { key: 'USER-AGENT', value: 'mine' },
      { key: 'Content-Length', value: '7' },
      { key: 'Transfer-Encoding', value: 'chunked' },
    ]
    expect(built({ headers }).headers).toEqual({
      'USER-AGENT': 'mine',
      Accept: 'text/html',
      'accept-encoding': 'gzip, deflate',
      'X-Tag': ['a', 'b'],
    })
  })

  it.each([
    ['JSON', '{"a":1}', '{"a":1}', 'application/json'],
    ['FORM', 'a=1&b=2', 'a=1&b=2', 'application/x-www-form-urlencoded'],
    ['RAW', 'text', 'text', undefined],
    ['GRAPHQL', '{ me { id } }', '{"query":"{ me { id } }"}', 'application/json'],
    ['GRAPHQL', '{"query":"{ me }","variables":{}}', '{"query":"{ me }","variables":{}}', 'application/json'],
    ['NONE', 'ignored', null, undefined],
  ] as const)('sends a %s body %j as %j', (bodyType, body, expected, contentType) => {
    const request = built({ method: 'POST', bodyType, body })
    expect(request.body).toBe(expected)
    expect(request.headers['content-type']).toBe(contentType)
  })

  it('lets the check name another content type', () => {
    const headers = [{ key: 'Content-Type', value: 'application/vnd.api+json' }]
    const request = built({ bodyType: 'JSON', body: '{}', headers })
    expect(request.headers).toMatchObject({ 'Content-Type': 'application/vnd.api+json' })
    expect(request.headers).not.toHaveProperty('content-type')
  })

  it.each([
    ['http://e.test/p', 'http://e.test/p?a=1%262&%C3%BC=%20'],
    ['http://e.test/p?x=%20y+z#part', 'http://e.test/p?x=%20y+z&a=1%262&%C3%BC=%20'],
    ['http://e.test/?', 'http://e.test/?a=1%262&%C3%BC=%20'],
  ])('appends query parameters to %s', (url, expected) => {
    const queryParameters = [
      { key: 'a', value: '1&2' },
      { key: 'ü', value: ' ' },
    ]
    expect(built({ url, queryParameters }).url.href).toBe(expected)
  })

  it.each([
    [{ basicAuth: { username: 'u', password: 'p:ü' } }, 'u:p:ü'],
    [{ url: 'http://a%40b:c%25@e.test/' }, 'a@b:c%'],
    [{ url: 'http://x:y@e.test/', basicAuth: { username: 'u', password: 'p' } }, 'u:p'],
  ])('authorises by %j', (over, plain) => {
    const { headers, url } = built(over)
    expect(headers.authorization).toBe(`Basic ${Buffer.from(plain).toString('base64')}`)
    expect(url.username + url.password).toBe('')
  })

  it.each(['ftp://e.test/', 'e.test', 'http://', ''])('refuses %j', (url) => {
    expect(buildRequest({ ...settings, url }, '')).toMatchObject({
      kind: 'protocol',
      phase: 'setup',
      code: 'INVALID_URL',
    })
  })
})

describe('redirectOf', () => {
  const post = built({
    method: 'POST',
    url: 'https://a.test/start',
    bodyType: 'JSON',
    body: '{}',
    basicAuth: { username: 'u', password: 'p' },
    headers: [
      { key: 'Cookie', value: 'c=1' },
      { key: 'X-Own', value: 'x' },
    ],
  })

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [301, 'PUT', 'PUT'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'HEAD', 'HEAD'],
  ])('after %i a %s becomes a %s', (status, method, expected) => {
    const next = redirectOf({ ...post, method }, status, '/next') as OutgoingRequest
    expect(next.method).toBe(expected)
    expect(next.url.href).toBe('https://a.test/next')
    const keepsBody = expected === method
    expect(next.body).toBe(keepsBody ? '{}' : null)
    expect('content-type' in next.headers).toBe(keepsBody)
  })

  it.each([
    ['https://a.test/other', true],
    ['//a.test/other', true],
    ['https://a.test:8443/', false],
    ['http://a.test/', false],
    ['https://b.test/', false],
    ['https://sub.a.test/', false],
  ])('to %s keeps credentials: %s', (location, kept) => {
    const { headers } = redirectOf(post, 307, location) as OutgoingRequest
    expect('authorization' in headers).toBe(kept)
    expect('Cookie' in headers).toBe(kept)
    expect(headers['X-Own']).toBe('x')
  })

  it('keeps credentials from http up to https', () => {
    const plain = { ...post, url: new URL('http://a.test/') }
    expect(redirectOf(plain, 301, 'https://a.test/')).toMatchObject({
      headers: { authorization: expect.any(String) },
    })
  })

  it.each([
    [200, '/next'],
    [300, '/next'],
    [304, '/next'],
    [302, undefined],
  ])('takes %i with location %s for no redirect', (status, location) => {
    expect(redirectOf(post, status, location)).toBeNull()
  })

  it.each(['file:///etc/passwd', 'http://', 'javascript:1'])('fails over %s', (location) => {
    expect(redirectOf(post, 302, location)).toMatchObject({ kind: 'redirect', code: 'INVALID_REDIRECT' })
  })
})
