import { describe, expect, it } from 'vitest'
import { encodeBase32, findTotpStep, newTotpSecret, otpauthUri, totpCode, totpStep } from './totp.ts'

const secret = encodeBase32(Buffer.from('12345678901234567890'))

describe('codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at second %i', (second, code) => {
    expect(totpCode(secret, totpStep(second * 1000))).toBe(code)
  })

  it('are accepted one step early or late, not two', () => {
    const now = 1_000_000_000_000
    const step = totpStep(now)
    const found = [-2, -1, 0, 1, 2].map((away) => findTotpStep(secret, totpCode(secret, step + away), now))
    expect(found).toEqual([null, step - 1, step, step + 1, null])
    expect(findTotpStep(secret, '', now)).toBeNull()
    expect(findTotpStep(secret, 'ééé', now)).toBeNull()
  })

  it('have secrets of 160 bits, in an address that apps read', () => {
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
    expect(otpauthUri(secret, 'ann+1@example.com')).toBe(
      `otpauth://totp/Vedette:ann%2B1%40example.com?secret=${secret}&issuer=Vedette&algorithm=SHA1&digits=6&period=30`,
    )
  })
})
