import { describe, expect, it } from 'vitest'
import { isSealed, openVault, unsealDeep } from './vault.ts'

describe('the vault', () => {
  const vault = openVault('a secret key for tests')

  it('unseals what it sealed, and never seals twice alike', () => {
    const one = vault.seal('account', 'pässword')
    expect(vault.unseal('account', one)).toBe('pässword')
    expect(JSON.stringify(one)).not.toContain('ssword')
    expect(vault.seal('account', 'pässword')).not.toEqual(one)
  })

  it('opens nothing for another account, with another key, or after a change', () => {
    const sealed = vault.seal('account', 'password')
    expect(() => vault.unseal('other', sealed)).toThrow()
    expect(() => openVault('quite another secret key').unseal('account', sealed)).toThrow()
    const bytes = Buffer.from(sealed.$sealed.slice(3), 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
    expect(() => vault.unseal('account', { $sealed: `v1:${bytes.toString('base64')}` })).toThrow()
  })

  it('opens sealed strings at any depth', () => {
    const stored = { list: [{ value: vault.seal('account', 'x') }, { value: 'plain' }], none: null }
    expect(unsealDeep(vault, 'account', stored)).toEqual({
      list: [{ value: 'x' }, { value: 'plain' }],
      none: null,
    })
  })

  it('recognizes sealed strings', () => {
    expect(isSealed(vault.seal('account', ''))).toBe(true)
    expect(isSealed('v1:abc')).toBe(false)
    expect(isSealed(null)).toBe(false)
  })
})
