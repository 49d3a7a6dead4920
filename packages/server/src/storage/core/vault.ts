// Secrets at rest: sealed with a key that isn't in the database, bound to their account.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** What a jsonb column contains instead of a secret string. */
export interface Sealed {
  $sealed: string
}

export interface Vault {
  /** Identifies the key without disclosing it. */
  fingerprint: string
  seal(accountId: string, text: string): Sealed
  unseal(accountId: string, sealed: Sealed): string
  /** A signature that shows that this installation wrote the text. */
  sign(text: string): string
}

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

export function openVault(secretKey: string): Vault {
  const key = deriveKey(secretKey, 'secrets at rest')
  const signingKey = deriveKey(secretKey, 'signatures')
  return {
    sign: (text) => createHmac('sha256', signingKey).update(text).digest('base64url'),
    fingerprint: createHmac('sha256', key).update('vedette fingerprint').digest('hex'),
    seal(accountId, text) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(accountId))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return { $sealed: `${version}:${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')}` }
    },
    unseal(accountId, sealed) {
      const bytes = Buffer.from(sealed.$sealed.slice(version.length + 1), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(accountId))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** A KeyObject: with raw bytes, Node parses the key at every use, which takes four times as long as signing. */
function deriveKey(secretKey: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'vedette', purpose, 32)))
}

export function isSealed(value: unknown): value is Sealed {
  return (
    typeof value === 'object' && value !== null && '$sealed' in value && typeof value.$sealed === 'string'
  )
}

/** Unseals every sealed string inside a stored JSON value. `T` is its type with the strings unsealed. */
export function unsealDeep<T>(vault: Vault, accountId: string, value: T): Unsealed<T>
export function unsealDeep(vault: Vault, accountId: string, value: unknown): unknown {
  if (isSealed(value)) return vault.unseal(accountId, value)
  if (Array.isArray(value)) return value.map((item) => unsealDeep(vault, accountId, item))
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) result[name] = unsealDeep(vault, accountId, item)
  return result
}

type Unsealed<T> = T extends Sealed
  ? string
  : T extends readonly (infer Item)[]
    ? Unsealed<Item>[]
    : T extends object
      ? { [K in keyof T]: Unsealed<T[K]> }
      : T
