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
  it('makes a key at the first start that only its owner can read, and finds it again', async () => {
    const vault = await open()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
    expect(await findFingerprint(database.store.db)).toBe(vault.fingerprint)
    const again = await open()
    expect(again.unseal('a', vault.seal('a', 'text'))).toBe('text')
  })

  it('lets starts at the same moment agree on one key', async () => {
    const vaults = await Promise.all([open(), open(), open()])
    expect(new Set(vaults.map(({ fingerprint }) => fingerprint)).size).toBe(1)
  })

  it('takes SECRET_KEY where it is set, and makes no file', async () => {
    const vault = await open('a key of sixteen characters')
    expect(vault.fingerprint).toBe(openVault('a key of sixteen characters').fingerprint)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('refuses another SECRET_KEY than the data was sealed with', async () => {
    await open('a key of sixteen characters')
    await expect(open('another key of that length')).rejects.toThrow(SecretKeyError)
    await expect(open('another key of that length')).rejects.toThrow(
      /SECRET_KEY is not the one the data was sealed with\. Set it to that key.*secret-key rotate/,
    )
  })

  it('says so when the right key is in the file and SECRET_KEY is in its way', async () => {
    await open()
    await expect(open('another key of that length')).rejects.toThrow(
      `The right one is in ${path()}: unset SECRET_KEY`,
    )
  })

  it('never makes a second key over existing data', async () => {
    await open()
    rmSync(path())
    await expect(open()).rejects.toThrow(`${path()} is missing`)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('refuses a file with another key, and one that is cut off', async () => {
    await open()
    writeFileSync(path(), 'another key of that length')
    await expect(open()).rejects.toThrow(/is not the SECRET_KEY the data was sealed with/)
    writeFileSync(path(), '')
    await expect(open()).rejects.toThrow(/holds no key/)
  })

  it('heals a rotation that was interrupted after its commit', async () => {
    await open()
    stageSecretKey(dataDir, 'the new key, committed')
    await putFingerprint(database.store.db, openVault('the new key, committed').fingerprint)
    expect((await open()).fingerprint).toBe(openVault('the new key, committed').fingerprint)
    expect(readFileSync(path(), 'utf8').trim()).toBe('the new key, committed')
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  it('heals it also when the old key is gone', async () => {
    await open()
    renameSync(path(), `${path()}.next`)
    await open()
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  it('stays with the old key when a rotation was interrupted before its commit', async () => {
    const vault = await open()
    stageSecretKey(dataDir, 'the new key, never used')
    expect((await open()).fingerprint).toBe(vault.fingerprint)
  })
})
