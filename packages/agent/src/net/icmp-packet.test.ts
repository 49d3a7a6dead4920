import { describe, expect, it } from 'vitest'
import { checksum, decodeIcmp, encodeEcho, withoutIpHeader } from './icmp-packet.ts'

const token = Buffer.from('0011223344556677', 'hex')

describe('ICMP packets', () => {
  it.each([
    ['the example of RFC 1071', Buffer.from('0001f203f4f5f6f7', 'hex'), ~0xddf2 & 0xffff],
    ['an odd length', Buffer.from('000100', 'hex'), ~0x0001 & 0xffff],
    ['nothing', Buffer.alloc(0), 0xffff],
  ])('sums up %s', (_, data, sum) => {
    expect(checksum(data)).toBe(sum)
  })

  it.each([
    [4, 8],
    [6, 128],
  ] as const)('makes requests of 64 bytes for IPv%i that read back as sent', (family, type) => {
    const packet = encodeEcho(family, { id: 513, sequence: 49, token })
    expect(packet).toHaveLength(64)
    expect(checksum(packet)).toBe(0)
    expect(decodeIcmp(packet)).toEqual({ type, code: 0, id: 513, sequence: 49, token })
  })

  it('takes the IP header off, its options included', () => {
    const header = Buffer.alloc(24)
    header[0] = 0x46
    expect(withoutIpHeader(Buffer.concat([header, token]))).toEqual(token)
  })

  it('does not read what is too short', () => {
    expect(decodeIcmp(Buffer.alloc(7))).toBeNull()
  })
})
