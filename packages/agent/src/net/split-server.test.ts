import { describe, expect, it } from 'vitest'
import { splitServer } from './split-server.ts'

describe('splitServer', () => {
  it.each([
    ['1.1.1.1', { host: '1.1.1.1' }],
    ['1.1.1.1:5353', { host: '1.1.1.1', port: 5353 }],
    ['dns.google:53', { host: 'dns.google', port: 53 }],
    ['2001:db8::1', { host: '2001:db8::1' }],
    ['[2001:db8::1]:5353', { host: '2001:db8::1', port: 5353 }],
    ['[2001:db8::1]', { host: '2001:db8::1' }],
  ])('reads %s', (text, server) => {
    expect(splitServer(text)).toEqual(server)
  })
})
