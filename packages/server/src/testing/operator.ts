// The operator at the server's machine: runs commands on a data folder or a test database.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { runCommand } from '../operate/run-command.ts'
import { createFirstAccount, type FirstAccount } from '../storage/accounts/first-account.ts'
import { openStore, type Store } from '../storage/core/db.ts'
import { migrate } from '../storage/core/migrate.ts'
import { openSecretKey } from '../storage/core/secret-key.ts'
import type { Vault } from '../storage/core/vault.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import type { TestPostgres } from './database.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the response holds
  json: any
}

export type Environment = Record<string, string>

const program = fileURLToPath(new URL('../operate.ts', import.meta.url))

/** In this process: starting another takes longer than the command. */
export async function operate(environment: Environment, ...argv: string[]): Promise<Ran> {
  const said = { stdout: '', stderr: '' }
  const code = await runCommand(argv, {
    // Nothing of the tester's own environment: a SECRET_KEY in it would change what is tested.
    environment,
    stdout: { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
  })
  return ranOf(argv, { code, ...said })
}

/** As a process of its own. */
export async function operateProcess(environment: Environment, ...argv: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...argv], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null && once(child, 'close'),
  ])
  return ranOf(argv, { code: child.exitCode ?? -1, stdout, stderr })
}

function ranOf(argv: string[], said: Omit<Ran, 'json'>): Ran {
  const isJson = argv.includes('--json') && said.code === 0
  return { ...said, json: isJson ? JSON.parse(said.stdout) : undefined }
}

export function databaseUrl({ host, port, user, password, database }: TestPostgres): string {
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${user}:${encodeURIComponent(password)}@/${database}?${query}`
}

export function newDataDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'vedette-operate-')), 'data')
}

export interface Furnished extends FirstAccount {
  vault: Vault
}

export const hiddenText = 'hush: a secret with "quotes", a \\ and\na line feed'

/** What a first start leaves behind, and a secret. */
export async function furnish(store: Store, dataDir: string, fromEnvironment?: string): Promise<Furnished> {
  await migrate(store.pool)
  const vault = await openSecretKey({ store, dataDir, fromEnvironment })
  const names = { account: 'Årea 51', email: 'owner@example.com' }
  const first = await createFirstAccount(store.db, names, Date.now())
  if (first === null) throw new Error('this store has an account already')
  const values = { account_id: first.accountId, locked: false, secret: true }
  const value = JSON.stringify(vault.seal(first.accountId, hiddenText))
  await store.db
    .insertInto('variables')
    .values({ ...values, key: 'HIDDEN', value })
    .execute()
  return { ...first, vault }
}

/** A data folder with its embedded PostgreSQL, for as long as `work` takes. */
export async function withEmbedded<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const embedded = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  const store = openStore(embedded.connection, { poolSize: 3 })
  try {
    return await work(store)
  } finally {
    await store.close()
    await embedded.stop()
  }
}
