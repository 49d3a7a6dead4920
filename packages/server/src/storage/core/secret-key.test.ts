import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import {
  findFingerprint,
  openSecretKey,
  putFingerprint,
  SecretKeyError,
  stageSecretKey,
} from './secret-key.ts'
import { openVault } from './vault.ts'

let database: TestDatabase
let dataDir: string
const open = (fromEnvironment?: string) => openSecretKey({ store: database.store, dataDir, fromEnvironment })
const path = () => join(dataDir, 'secret-key')

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vedette-secret-key-'))
  await database.store.db.deleteFrom('instance').execute()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('openSecretKey', () => {
  it('creates a key at the first start that only its owner can read, and reads it later', async () => {
    const vault = await open()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
    expect(await findFingerprint(database.store.db)).toBe(vault.fingerprint)
    const again = await open()
    expect(again.unseal('a', vault.seal('a', 'text'))).toBe('text')
  })

  it('agrees on one key if several processes start together', async () => {
    const vaults = await Promise.all([open(), open(), open()])
    expect(new Set(vaults.map(({ fingerprint }) => fingerprint)).size).toBe(1)
  })

  it('uses SECRET_KEY if it is set, and creates no file', async () => {
    const vault = await open('a key of sixteen characters')
    expect(vault.fingerprint).toBe(openVault('a key of sixteen characters').fingerprint)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('refuses another SECRET_KEY than the data was sealed with', async () => {
    await open('a key of sixteen characters')
    await expect(open('another key of that length')).rejects.toThrow(SecretKeyError)
    await expect(open('another key of that length')).rejects.toThrow(
      /SECRET_KEY isn't the key that the data was sealed with\. Set it to that key.*secret-key rotate/,
    )
  })

  it('reports that the right key is in the file if SECRET_KEY is wrong', async () => {
    await open()
    await expect(open('another key of that length')).rejects.toThrow(
      `The right key is in ${path()}: unset SECRET_KEY`,
    )
  })

  it('never creates a second key for existing data', async () => {
    await open()
    rmSync(path())
    await expect(open()).rejects.toThrow(`${path()} is missing`)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('refuses a file with another key, and an empty one', async () => {
    await open()
    writeFileSync(path(), 'another key of that length')
    await expect(open()).rejects.toThrow(/isn't the SECRET_KEY that the data was sealed with/)
    writeFileSync(path(), '')
    await expect(open()).rejects.toThrow(/doesn't contain a key/)
  })

  it('finishes a rotation that was interrupted after its commit', async () => {
    await open()
    stageSecretKey(dataDir, 'the new key, committed')
    await putFingerprint(database.store.db, openVault('the new key, committed').fingerprint)
    expect((await open()).fingerprint).toBe(openVault('the new key, committed').fingerprint)
    expect(readFileSync(path(), 'utf8').trim()).toBe('the new key, committed')
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  it('also finishes it if the old key is missing', async () => {
    await open()
    renameSync(path(), `${path()}.next`)
    await open()
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  it('keeps the old key if a rotation was interrupted before its commit', async () => {
    const vault = await open()
    stageSecretKey(dataDir, 'the new key, never used')
    expect((await open()).fingerprint).toBe(vault.fingerprint)
  })
})
