// Codes of authenticator apps (RFC 6238): SHA-1, 6 digits, steps of 30 seconds, which is what all apps support.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const digits = 6

/** As authenticator apps expect it: 160 random bits in base32. */
export function newTotpSecret(): string {
  return encodeBase32(randomBytes(20))
}

export function totpStep(now: number): number {
  return Math.floor(now / stepMs)
}

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step that the code belongs to: this one or a neighbor, since clocks differ. Null: the code is wrong. */
export function findTotpStep(secret: string, code: string, now: number): number | null {
  if (code.length !== digits) return null
  const current = totpStep(now)
  const steps = [current, current - 1, current + 1]
  return steps.find((step) => isSame(totpCode(secret, step), code)) ?? null
}

function isSame(expected: string, entered: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(entered)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What the QR code contains. */
export function otpauthUri(secret: string, email: string): string {
  const issuer = 'Vedette'
  const query = new URLSearchParams({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: String(digits),
    period: '30',
  })
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?${query}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding; the length is a multiple of 5 bytes. */
export function encodeBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group, 2)]).join('')
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
