// The key that seals secrets at rest: SECRET_KEY, or a file in the data directory. The database has its fingerprint, so
// that a wrong key is refused before anything is sealed with it.
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { Db, Store } from './db.ts'
import { findInstanceValue, setInstanceValue } from './instance.ts'
import { createPrivateFile, syncFolder, writePrivateFile } from './private-file.ts'
import { openVault, type Vault } from './vault.ts'

export class SecretKeyError extends Error {
  override name = 'SecretKeyError'
}

interface SecretKeySource {
  store: Pick<Store, 'db'>
  dataDir: string
  /** SECRET_KEY; if it's set, the file isn't read. */
  fromEnvironment?: string | undefined
}

const fingerprintKey = 'secret_key_fingerprint'
export const shortestSecretKey = 16

export async function openSecretKey({ store, dataDir, fromEnvironment }: SecretKeySource): Promise<Vault> {
  const expected = await findFingerprint(store.db)
  if (fromEnvironment === undefined && expected !== null) finishRotation(dataDir, expected)
  const key = fromEnvironment ?? readSecretKeyFile(dataDir)
  if (key === null && expected !== null) {
    throw new SecretKeyError(
      `${secretKeyPath(dataDir)} is missing, and the secrets in this data were sealed with it. ` +
        'Restore that file (a backup contains it), or set SECRET_KEY to its content.',
    )
  }
  const vault = openVault(key ?? createSecretKeyFile(dataDir))
  const agreed = expected ?? (await agreeOnFingerprint(store.db, vault.fingerprint))
  if (vault.fingerprint !== agreed) throw wrongKey(dataDir, agreed, fromEnvironment !== undefined)
  return vault
}

export function secretKeyPath(dataDir: string): string {
  return join(dataDir, 'secret-key')
}

export function readSecretKeyFile(dataDir: string): string | null {
  return readKey(secretKeyPath(dataDir))
}

export function generateSecretKey(): string {
  return randomBytes(32).toString('base64url')
}

/** The fingerprint of the key that secrets are sealed with; null before the first start. */
export async function findFingerprint(db: Db): Promise<string | null> {
  const fingerprint = await findInstanceValue(db, fingerprintKey)
  return typeof fingerprint === 'string' ? fingerprint : null
}

export async function putFingerprint(db: Db, fingerprint: string): Promise<void> {
  await setInstanceValue(db, fingerprintKey, fingerprint)
}

/** Call it before the commit that makes this the key: if the process dies after that commit, the next start reads it. */
export function stageSecretKey(dataDir: string, key: string): void {
  writePrivateFile(nextPath(dataDir), `${key}\n`)
}

/** Call it after that commit. */
export function promoteSecretKey(dataDir: string): void {
  renameSync(nextPath(dataDir), secretKeyPath(dataDir))
  syncFolder(dataDir)
}

function nextPath(dataDir: string): string {
  return `${secretKeyPath(dataDir)}.next`
}

function finishRotation(dataDir: string, expected: string): void {
  const next = readKey(nextPath(dataDir))
  // Keep a staged key that doesn't match: a rotation in progress may be about to commit it.
  if (next === null || openVault(next).fingerprint !== expected) return
  const current = readSecretKeyFile(dataDir)
  if (current === null || openVault(current).fingerprint !== expected) promoteSecretKey(dataDir)
}

function createSecretKeyFile(dataDir: string): string {
  createPrivateFile(secretKeyPath(dataDir), `${generateSecretKey()}\n`)
  // Read it back: another process that started at the same time may have created it.
  const key = readSecretKeyFile(dataDir)
  if (key === null) throw new SecretKeyError(`${secretKeyPath(dataDir)} disappeared while it was created.`)
  return key
}

/** The first writer wins: of two servers that start with different keys, one must fail. */
async function agreeOnFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .insertInto('instance')
    .values({ key: fingerprintKey, value: JSON.stringify(fingerprint) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return (await findFingerprint(db)) ?? fingerprint
}

function readKey(path: string): string | null {
  let key: string
  try {
    key = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw new SecretKeyError(`${path} can't be read: ${errorMessage(cause)}`, { cause })
  }
  if (key.length < shortestSecretKey) {
    throw new SecretKeyError(
      `${path} doesn't contain a key: it has fewer than ${shortestSecretKey} characters.`,
    )
  }
  return key
}

function wrongKey(dataDir: string, agreed: string, isFromEnvironment: boolean): SecretKeyError {
  const path = secretKeyPath(dataDir)
  if (!isFromEnvironment) {
    return new SecretKeyError(
      `The key in ${path} isn't the SECRET_KEY that the data was sealed with. ` +
        'Restore the right file (a backup contains it), or set SECRET_KEY to the right key.',
    )
  }
  const inFile = readSecretKeyFile(dataDir)
  const isInFile = inFile !== null && openVault(inFile).fingerprint === agreed
  return new SecretKeyError(
    `SECRET_KEY isn't the key that the data was sealed with. ${
      isInFile ? `The right key is in ${path}: unset SECRET_KEY` : 'Set it to that key'
    }. To change keys, run: vedette secret-key rotate`,
  )
}
