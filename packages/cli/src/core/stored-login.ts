// What `vedette login` stores. Key and account are in the files of the published CLI, so that both programs use the same
// ones; that CLI has no file for the address.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../config.ts'

export interface StoredLogin {
  url: string
  apiKey: string
  accountId: string
  accountName: string
}

/** CHECKLY_ENV=local, the environment whose address can be set, is part of the directory's name. */
function pathsOf({ configDir }: Settings) {
  const published = configDir('@checkly/cli-local')
  return {
    key: join(published, 'auth.json'),
    account: join(published, 'config.json'),
    address: join(configDir('vedette'), 'login.json'),
  }
}

/** Null if there is no complete login. */
export function readStoredLogin(settings: Settings): StoredLogin | null {
  const paths = pathsOf(settings)
  const { url } = readJson(paths.address)
  const { apiKey } = readJson(paths.key)
  const { accountId, accountName } = readJson(paths.account)
  if (!isText(url) || !isText(apiKey) || !isText(accountId)) return null
  return { url, apiKey, accountId, accountName: isText(accountName) ? accountName : accountId }
}

/** Returns the paths of the files. */
export function storeLogin(settings: Settings, login: StoredLogin): string[] {
  const paths = pathsOf(settings)
  const { url, apiKey, accountId, accountName } = login
  // The address last: it makes the login complete.
  rmSync(paths.address, { force: true })
  writePrivate(paths.key, { ...readJson(paths.key), apiKey })
  writePrivate(paths.account, { ...readJson(paths.account), accountId, accountName })
  writePrivate(paths.address, { url })
  return Object.values(paths)
}

/** Returns whether there was one. */
export function removeLogin(settings: Settings): boolean {
  const paths = pathsOf(settings)
  const wasStored = [paths.key, paths.account, paths.address].some(
    (path) => Object.keys(readJson(path)).length > 0,
  )
  for (const path of Object.values(paths)) rmSync(path, { force: true })
  return wasStored
}

/** An absent or damaged file has no values. */
function readJson(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Complete or not at all, and readable only by its user. */
function writePrivate(path: string, value: Record<string, unknown>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, '\t')}\n`, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
