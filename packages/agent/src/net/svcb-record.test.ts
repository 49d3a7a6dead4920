import { expect, it } from 'vitest'
import { svcbText } from './dns-reply.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

// The vectors of RFC 9460, appendix D.
it.each([
  ['0000 03666f6f 07657861 6d706c65 03636f6d 00', '0 foo.example.com.'],
  ['0001 00', '1 .'],
  ['0010 03666f6f 07657861 6d706c65 03636f6d 00 0003 0002 0035', '16 foo.example.com. port=53'],
  ['0001 03666f6f 07657861 6d706c65 03636f6d 00 029b 0005 68656c6c6f', '1 foo.example.com. key667="hello"'],
  [
    '0001 03666f6f 07657861 6d706c65 03636f6d 00 0006 0020 20010db8000000000000000000000001 20010db8000000000000000000530001',
    '1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1',
  ],
  [
    '0010 03666f6f 07657861 6d706c65 036f7267 00 0000 0004 0001 0004 0001 0009 02 6832 05 68332d3139 0004 0004 c0000201',
    '16 foo.example.org. mandatory=alpn,ipv4hint alpn="h2,h3-19" ipv4hint=192.0.2.1',
  ],
  ['0001 00 0002 0000', '1 . no-default-alpn'],
])('reads %s', (data, text) => {
  expect(svcbText(hex(data))).toBe(text)
})

it.each(['', '00', '0001', '0001 05 61', '0001 00 0001', '0001 00 0003 0002 00', '0001 00 0003 0001 00'])(
  'has no text for the broken %j',
  (data) => {
    expect(svcbText(hex(data))).toBeNull()
  },
)
