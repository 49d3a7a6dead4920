import { describe, expect, it } from 'vitest'
import { pingSource, pingUserAgent } from './ping-source.ts'

const asked = (headers: Record<string, string>, method = 'GET') => ({
  method,
  protocol: 'https' as const,
  headers,
})

describe('pingSource', () => {
  it.each<[string, Record<string, string>, string]>([
    ['the origin of a page', { origin: 'https://shop.example.com' }, 'https://shop.example.com'],
    [
      'the origin before the referrer',
      { origin: 'https://a.example', referer: 'https://b.example/x' },
      'https://a.example',
    ],
    ['the referrer without its query', { referer: 'https://b.example/x?token=1#y' }, 'https://b.example/x'],
    [
      'no origin of a sandboxed page',
      { origin: 'null', 'user-agent': 'Mozilla/5.0 (X11)' },
      'HTTPS GET from a browser',
    ],
    ['the program', { 'user-agent': 'curl/8.14.1' }, 'HTTPS GET from curl'],
    [
      'the program of several words',
      { 'user-agent': 'python-requests/2.32 linux' },
      'HTTPS GET from python-requests',
    ],
    ['no program', {}, 'HTTPS GET'],
    ['no program that has no name', { 'user-agent': '(?)' }, 'HTTPS GET'],
  ])('describes %s', (_name, headers, expected) => {
    expect(pingSource(asked(headers))).toBe(expected)
  })

  it('includes the method, and truncates long text', () => {
    expect(pingSource(asked({ 'user-agent': 'Wget/1.24' }, 'HEAD'))).toBe('HTTPS HEAD from Wget')
    expect(pingSource(asked({ origin: `https://${'a'.repeat(1000)}` })).length).toBe(500)
    expect(pingUserAgent(asked({ 'user-agent': 'x'.repeat(1000) }))?.length).toBe(500)
    expect(pingUserAgent(asked({}))).toBeNull()
  })
})
