import { describe, expect, it } from 'vitest'
import { readSignInCookie, signInCookie } from './sign-in-cookie.ts'

const plain = { PUBLIC_URL: undefined, PORT: 3000 }
const secure = { PUBLIC_URL: 'https://status.example.com', PORT: 3000 }

describe('the cookie', () => {
  it('is for this host alone over https', () => {
    expect(signInCookie(secure, 'abc')).toBe(
      '__Host-vedette-sign-in=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure',
    )
  })

  it('works over plain http', () => {
    expect(signInCookie(plain, 'abc')).toBe(
      'vedette-sign-in=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax',
    )
    expect(signInCookie(plain, null)).toContain('vedette-sign-in=; Path=/; Max-Age=0;')
  })

  it('is found among others', () => {
    const cookie = 'a=1; __Host-vedette-sign-in=abc;b=vedette-sign-in=x; vedette-sign-in=def'
    expect(readSignInCookie(secure, { cookie })).toBe('abc')
    expect(readSignInCookie(plain, { cookie })).toBe('def')
    expect(readSignInCookie(plain, { cookie: 'vedette-sign-in=' })).toBeUndefined()
    expect(readSignInCookie(plain, {})).toBeUndefined()
  })

  it('without the prefix is not accepted over https', () => {
    expect(readSignInCookie(secure, { cookie: 'vedette-sign-in=planted' })).toBeUndefined()
  })
})
