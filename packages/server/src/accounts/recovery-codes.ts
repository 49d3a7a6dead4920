// Recovery codes: for people whose authenticator app is gone. Each works once.
import { createHash, randomBytes } from 'node:crypto'
import { encodeBase32 } from './totp.ts'

const count = 10

/** With 80 random bits, an unsalted fast hash is safe. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () =>
    encodeBase32(randomBytes(10))
      .toLowerCase()
      .replace(/.{4}(?=.)/g, '$&-'),
  )
}

/** However it is typed: with or without hyphens and spaces, in upper or lower case. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  const plain = code.replace(/[\s-]/g, '').toLowerCase()
  return createHash('sha256').update(`${userId} ${plain}`).digest()
}
