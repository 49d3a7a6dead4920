// The key that seals secrets at rest: SECRET_KEY, or a file in the data folder. The store knows its fingerprint, so that a
// wrong key is refused before anything is sealed with it.

import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { Db, Store } from './db.ts'
import { findFact, putFact } from './instance.ts'
import { createPrivateFile, syncFolder, writePrivateFile } from './private-file.ts'
import { openVault, type Vault } from './vault.ts'

export class SecretKeyError extends Error {
  override name = 'SecretKeyError'
}

export interface SecretKeyPlace {
  store: Pick<Store, 'db'>
  dataDir: string
  /** SECRET_KEY, where it is set: the file is then not looked at. */
  fromEnvironment?: string | undefined
}

const fingerprintFact = 'secret_key_fingerprint'
export const shortestSecretKey = 16

export async function openSecretKey({ store, dataDir, fromEnvironment }: SecretKeyPlace): Promise<Vault> {
  const expected = await findFingerprint(store.db)
  if (fromEnvironment === undefined && expected !== null) healRotation(dataDir, expected)
  const key = fromEnvironment ?? readSecretKeyFile(dataDir)
  if (key === null && expected !== null) {
    throw new SecretKeyError(
      `${secretKeyPath(dataDir)} is missing, and the secrets in this data were sealed with it. ` +
        'Put that file back (a backup holds it), or set SECRET_KEY to its content.',
    )
  }
  const vault = openVault(key ?? makeSecretKeyFile(dataDir))
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

/** Of the key that everything is sealed with; null before the first start. */
export async function findFingerprint(db: Db): Promise<string | null> {
  const fact = await findFact(db, fingerprintFact)
  return typeof fact === 'string' ? fact : null
}

export async function putFingerprint(db: Db, fingerprint: string): Promise<void> {
  await putFact(db, fingerprintFact, fingerprint)
}

/** Before the commit that makes it the key: should we die after it, the next start finds the key here. */
export function stageSecretKey(dataDir: string, key: string): void {
  writePrivateFile(nextPath(dataDir), `${key}\n`)
}

/** After that commit. */
export function promoteSecretKey(dataDir: string): void {
  renameSync(nextPath(dataDir), secretKeyPath(dataDir))
  syncFolder(dataDir)
}

function nextPath(dataDir: string): string {
  return `${secretKeyPath(dataDir)}.next`
}

function healRotation(dataDir: string, expected: string): void {
  const next = readKey(nextPath(dataDir))
  // A staged key that does not match stays: a rotation in progress may be about to commit it.
  if (next === null || openVault(next).fingerprint !== expected) return
  const current = readSecretKeyFile(dataDir)
  if (current === null || openVault(current).fingerprint !== expected) promoteSecretKey(dataDir)
}

function makeSecretKeyFile(dataDir: string): string {
  createPrivateFile(secretKeyPath(dataDir), `${generateSecretKey()}\n`)
  // Read back, as another process that started at the same moment may have been first.
  const key = readSecretKeyFile(dataDir)
  if (key === null) throw new SecretKeyError(`${secretKeyPath(dataDir)} vanished while it was made.`)
  return key
}

/** The first to write decides: two servers that start with different keys must not both go on. */
async function agreeOnFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .insertInto('instance')
    .values({ key: fingerprintFact, value: JSON.stringify(fingerprint) })
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
    throw new SecretKeyError(`${path} holds no key: it has fewer than ${shortestSecretKey} characters.`)
  }
  return key
}

function wrongKey(dataDir: string, agreed: string, isFromEnvironment: boolean): SecretKeyError {
  const path = secretKeyPath(dataDir)
  if (!isFromEnvironment) {
    return new SecretKeyError(
      `The key in ${path} is not the SECRET_KEY the data was sealed with. ` +
        'Put the right file back (a backup holds it), or set SECRET_KEY to the right key.',
    )
  }
  const inFile = readSecretKeyFile(dataDir)
  const isInFile = inFile !== null && openVault(inFile).fingerprint === agreed
  return new SecretKeyError(
    `SECRET_KEY is not the one the data was sealed with. ${
      isInFile ? `The right one is in ${path}: unset SECRET_KEY` : 'Set it to that key'
    }; to change keys, run: vedette secret-key rotate`,
  )
}
