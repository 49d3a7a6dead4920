import { describe, expect, it } from 'vitest'
import { Hostname, RequestUrl } from './request-fields.ts'

describe('the URL of a request', () => {
  it.each([
    'https://example.com',
    'HTTP://example.com:8080/a?b#c',
    'https://{{HOST}}/path',
    '{{GROUP_BASE_URL}}/path',
    '{{{BASE}}}',
    'https://example.com/{{moment "2 days ago" "YYYY-MM-DD"}}',
    'http{{S}}://example.com',
  ])('may be %s', (url) => {
    expect(RequestUrl.safeParse(url).success).toBe(true)
  })

  it.each([
    '',
    'example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:{{X}}',
    'ftp://{{HOST}}/path',
    'https://',
    'https:///path',
    'https://exa mple.com',
    'http://[::1',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('may not be %s', (url) => {
    expect(RequestUrl.safeParse(url).success).toBe(false)
  })
})

describe('a host', () => {
  it.each(['example.com', '127.0.0.1', '::1', 'localhost'])('may be %s', (host) => {
    expect(Hostname.safeParse(host).success).toBe(true)
  })

  it.each(['', 'https://example.com', 'a b', 'user@host', 'host/path'])('may not be %s', (host) => {
    expect(Hostname.safeParse(host).success).toBe(false)
  })
})
