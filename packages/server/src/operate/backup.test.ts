import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPrincipals, hashKey } from '../storage/accounts/api-keys.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import { putPasswordHash } from '../storage/accounts/passwords.ts'
import { insertSignIn } from '../storage/accounts/sign-ins.ts'
import type { Store } from '../storage/core/db.ts'
import { migrate, readMigrations } from '../storage/core/migrate.ts'
import { openSecretKey } from '../storage/core/secret-key.ts'
import { announceServer } from '../storage/core/server-presence.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import { insertDrafts } from '../storage/runs/drafts.ts'
import { insertSessionRuns } from '../storage/runs/session-runs.ts'
import { insertTestSession } from '../storage/runs/test-sessions.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import {
  databaseUrl,
  type Furnished,
  furnish,
  hiddenText,
  operate,
  operateProcess,
  withEmbedded,
} from '../testing/operator.ts'
import { entryOf, names, packBackup, readAll, readBackup } from './backup-file.ts'
import { readTar, type TarEntry } from './tar.ts'

const base = mkdtempSync(join(tmpdir(), 'vedette-backup-'))
const at = (...path: string[]) => join(base, ...path)
const origin = at('origin')
const plain = at('all.tar')
const databases: TestDatabase[] = []
let furnished: Furnished
let original: Record<string, unknown[]>

const oddTexts = ['a\tb\nc\r\\d', '\\N', '\\.', '', 'ü 𝄞 "quoted"', "it's"]

beforeAll(async () => {
  await withEmbedded(origin, async (store) => {
    furnished = await furnish(store, origin)
    await fill(store)
    original = await readEverything(store)
    mkdirSync(at('origin/artifacts/run/é'), { recursive: true })
    writeFileSync(at('origin/artifacts/run/é/trace.zip'), Buffer.alloc(3_000_000, 7))
    writeFileSync(at('origin/artifacts/empty'), '')
    const server = await announceServer(store.pool)
    const made = await operate({ DATA_DIR: origin }, 'backup', plain, '--json')
    expect(made).toMatchObject({ code: 0, json: { file: plain, artifacts: 2, hasSecretKey: true } })
    await server.release()
  })
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  rmSync(base, { recursive: true, force: true })
})

describe('backup', () => {
  it('creates a file that only its owner can read, and leaves no draft', () => {
    expect(statSync(plain).mode & 0o777).toBe(0o600)
    expect(readdirSync(base).filter((name) => name.includes('draft'))).toEqual([])
  })

  it('compresses a .tar.gz, writes to stdout, and leaves the key out with --without-secret-key', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    await furnish(store, environment.DATA_DIR)
    const zipped = at('small.tar.gz')
    const { stdout } = await operate(environment, 'backup', zipped, '--without-secret-key')
    expect(stdout).toContain("It doesn't contain the secret key (as requested)")
    expect(readFileSync(zipped).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
    expect(await namesIn(zipped)).not.toContain('secret-key')
    const piped = await operateProcess(environment, 'backup', '-')
    expect(piped).toMatchObject({ code: 0, stderr: expect.stringContaining('It contains the secret key') })
    writeFileSync(at('piped.tar'), piped.stdout)
    expect(await namesIn(at('piped.tar'))).toContain('secret-key')
  })

  it('reports that a key of the environment is not part of the backup', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    const SECRET_KEY = 'the key of the environment'
    await furnish(store, environment.DATA_DIR, SECRET_KEY)
    const made = await operate({ ...environment, SECRET_KEY }, 'backup', at('env.tar'), '--json')
    expect(made.json.hasSecretKey).toBe(false)
    const target = await newDatabase({ empty: true })
    const unset = await operate(target.environment, 'restore', at('env.tar'))
    expect(unset.stdout).toContain('set SECRET_KEY to the key of this data')
    await openSecretKey({
      store: target.store,
      dataDir: target.environment.DATA_DIR,
      fromEnvironment: SECRET_KEY,
    })
  })

  it.each([
    [['backup', at('all.zip')], 'must end in .tar'],
    [['backup', '-', '--json'], "--json can't be used with -"],
    [['backup'], 'An argument is missing'],
  ])('%j is a usage error', async (argv, message) => {
    expect(await operate({ DATA_DIR: origin }, ...argv)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    })
  })

  it('reports that the file cannot be written', async () => {
    const { environment } = await newDatabase({ empty: false })
    const file = at('nowhere', 'all.tar')
    expect(await operate(environment, 'backup', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file} can't be written`),
    })
  })
})

describe('restore', () => {
  it('restores everything in an empty data directory', async () => {
    const target = at('target')
    expect(await operate({ DATA_DIR: target }, 'restore', plain, '--json')).toMatchObject({
      code: 0,
      json: { artifacts: 2, migrated: [], note: null },
    })
    await withEmbedded(target, async (store) => {
      await expectEverything(store, target)
    })
    expect(readFileSync(join(target, 'artifacts/run/é/trace.zip'))).toEqual(Buffer.alloc(3_000_000, 7))
    expect(readFileSync(join(target, 'artifacts/empty'), 'utf8')).toBe('')
    expect(statSync(join(target, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(target).sort()).toEqual(['artifacts', 'postgres', 'postgres-password', 'secret-key'])
  })

  it('restores everything in an empty external PostgreSQL, and refuses to do it twice', {
    tags: ['story'],
  }, async () => {
    const { environment, store } = await newDatabase({ empty: true })
    expect(await operate(environment, 'restore', plain)).toMatchObject({ code: 0 })
    await expectEverything(store, environment.DATA_DIR)
    const again = await operate(environment, 'restore', plain)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('There is data here already') })
  })

  it('replaces all data, also key and artifacts, with --replace --yes', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    await furnish(store, environment.DATA_DIR)
    mkdirSync(join(environment.DATA_DIR, 'artifacts'))
    writeFileSync(join(environment.DATA_DIR, 'artifacts', 'old'), 'old')
    const unsure = await operate(environment, 'restore', plain, '--replace')
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') })
    expect((await operate(environment, 'restore', plain, '--replace', '--yes')).code).toBe(0)
    await expectEverything(store, environment.DATA_DIR)
    expect(readdirSync(join(environment.DATA_DIR, 'artifacts')).sort()).toEqual(['empty', 'run'])
  })

  it('needs no superuser, only a separate database', { tags: ['story'] }, async () => {
    const { environment, store } = await newDatabase({ empty: true })
    const database = databases.at(-1)!.connection.database
    await store.pool.query(`create role ${database}_owner login password 'pw'`)
    await store.pool.query(`alter database ${database} owner to ${database}_owner`)
    const connection = { ...databases.at(-1)!.connection, user: `${database}_owner`, password: 'pw' }
    const theirs = { ...environment, DATABASE_URL: databaseUrl(connection) }
    try {
      expect(await operate(theirs, 'restore', plain)).toMatchObject({ code: 0 })
      expect(await operate(theirs, 'secret-key', 'rotate')).toMatchObject({ code: 0 })
      expect(await operate(theirs, 'restore', plain, '--replace', '--yes')).toMatchObject({ code: 0 })
      await expectEverything(store, environment.DATA_DIR)
    } finally {
      await store.pool.query(
        `reassign owned by ${database}_owner to current_user; drop role ${database}_owner`,
      )
    }
  })

  it('replaces the schema of a newer release', { tags: ['story'] }, async () => {
    const { environment, store } = await newDatabase({ empty: false })
    await store.pool.query(`insert into schema_migrations values (9999, '9999_later', 'x');
      create table later (id int primary key, account_id uuid references accounts)`)
    expect((await operate(environment, 'restore', plain, '--replace', '--yes')).code).toBe(0)
    await expectEverything(store, environment.DATA_DIR)
  })

  it('leaves out drafts and their queued runs, which would run again', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    const { accountId, vault } = await furnish(store, environment.DATA_DIR)
    await inTransaction(store.pool, (client) => insertDraftRun(client, vault, accountId))
    expect((await operate(environment, 'backup', at('drafts.tar'))).code).toBe(0)
    const target = await newDatabase({ empty: true })
    expect((await operate(target.environment, 'restore', at('drafts.tar'))).code).toBe(0)
    const { rows } = await target.store.pool.query(`select (select count(*) from test_sessions) as sessions,
      (select count(*) from drafts) as drafts, (select count(*) from schedule) as lanes`)
    expect(rows).toEqual([{ sessions: 1, drafts: 0, lanes: 0 }])
  })

  it('migrates a backup of an older release', async () => {
    const { environment, store } = await newDatabase({ empty: true })
    await migrate(store.pool, readMigrations().slice(0, -1))
    const account = await createAccount(store.db, 'Old times')
    expect((await operate(environment, 'backup', at('older.tar'))).code).toBe(0)
    const target = await newDatabase({ empty: true })
    const { json } = await operate(target.environment, 'restore', at('older.tar'), '--json')
    expect(json.migrated).toEqual([readMigrations().at(-1)?.name])
    expect(await target.store.db.selectFrom('accounts').select('id').execute()).toEqual([{ id: account.id }])
  })

  it('refuses a backup of a newer release', async () => {
    const newer = at('newer.tar')
    await repack(plain, newer, (manifest) => {
      manifest.migrations.push({ number: 9999, name: '9999_later', checksum: 'x' })
    })
    expect(await operate({ DATA_DIR: at('never') }, 'restore', newer)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('newer release of Vedette (schema 9999_later)'),
    })
    expect(existsSync(at('never'))).toBe(false)
  })

  it('refuses while a server runs', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    const server = await announceServer(store.pool)
    const ran = await operate(environment, 'restore', plain, '--replace', '--yes')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('stop the server first') })
    await server.release()
    expect(await store.db.selectFrom('accounts').select('id').execute()).toEqual([])
  })

  it('does not overwrite another secret key without --replace', async () => {
    const { environment, store } = await newDatabase({ empty: true })
    mkdirSync(environment.DATA_DIR)
    writeFileSync(join(environment.DATA_DIR, 'secret-key'), 'the key of something else')
    const ran = await operate(environment, 'restore', plain)
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is another key than that of the backup'),
    })
    expect(readFileSync(join(environment.DATA_DIR, 'secret-key'), 'utf8')).toBe('the key of something else')
    expect((await store.pool.query(`select to_regclass('accounts') as t`)).rows).toEqual([{ t: null }])
  })

  it('neither saves nor drops tables of other programs', async () => {
    const { environment, store } = await newDatabase({ empty: false })
    await store.pool.query('create table theirs (id int); insert into theirs values (1)')
    await operate(environment, 'backup', at('shared.tar'))
    expect((await readBackup(at('shared.tar'))).tables.map(({ name }) => name)).not.toContain('theirs')
    const ran = await operate(environment, 'restore', plain, '--replace', '--yes')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("aren't Vedette's (theirs)") })
    expect((await store.pool.query('select * from theirs')).rows).toEqual([{ id: 1 }])
  })
})

describe('an incomplete backup', () => {
  const bytes = () => readFileSync(plain)
  it.each([
    ['cut off in the middle', () => bytes().subarray(0, bytes().length / 2)],
    ['packed, and short of its last byte', () => gzipSync(bytes()).subarray(0, -1)],
    ['changed in one byte', () => flip(bytes(), Math.floor(bytes().length / 2))],
  ])('is refused when it is %s, and nothing changes', expectRefusal)
  it.each([
    ['cut off before the checksum', () => bytes().subarray(0, bytes().length - 2560)],
    ['short of its last byte', () => bytes().subarray(0, -1)],
    ['short of its last eight bytes', () => bytes().subarray(0, -8)],
    ['packed, and short of its last eight bytes', () => gzipSync(bytes()).subarray(0, -8)],
    ['followed by something', () => Buffer.concat([bytes(), Buffer.from('x')])],
    ['changed in the first header', () => flip(bytes(), 130)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('{"this": "is not a backup"}'.repeat(100))],
  ])('is refused when it is %s, and nothing changes', { tags: ['story'] }, expectRefusal)

  async function expectRefusal(name: string, make: () => Buffer): Promise<void> {
    const { environment, store } = await newDatabase({ empty: false })
    await furnish(store, environment.DATA_DIR)
    const before = await readEverything(store)
    const file = at(`${name.replaceAll(' ', '-')}.tar`)
    writeFileSync(file, make())
    const ran = await operate(environment, 'restore', file, '--replace', '--yes')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} isn't a complete backup`) })
    expect(await readEverything(store)).toEqual(before)
    expect(readdirSync(environment.DATA_DIR)).toEqual(['secret-key'])
  }

  it('is refused completely if PostgreSQL does not accept its rows', { tags: ['story'] }, async () => {
    const { environment, store } = await newDatabase({ empty: false })
    await furnish(store, environment.DATA_DIR)
    const before = await readEverything(store)
    const lying = at('lying.tar')
    await repack(plain, lying, (manifest) => {
      for (const table of manifest.tables) if (table.name === 'variables') table.rows += 1
    })
    const miscounted = await operate(environment, 'restore', lying, '--replace', '--yes')
    expect(miscounted.stderr).toMatch(/The table variables should have \d+ rows/)
    await repack(plain, lying, (manifest) => {
      for (const table of manifest.tables) if (table.name === 'users') table.columns[0] = 'no_such_column'
    })
    const odd = await operate(environment, 'restore', lying, '--replace', '--yes')
    expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining('no_such_column') })
    expect(await readEverything(store)).toEqual(before)
    await openSecretKey({ store, dataDir: environment.DATA_DIR })
  })

  it('must not contain a file outside the data directory', async () => {
    const evil = at('evil.tar')
    await repack(plain, evil, () => undefined, [entryOf('artifacts/../../escaped', Buffer.from('x'))])
    const { environment } = await newDatabase({ empty: true })
    const ran = await operate(environment, 'restore', evil)
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('a forbidden name') })
    expect(existsSync(join(environment.DATA_DIR, '..', 'escaped'))).toBe(false)
  })
})

async function newDatabase(options: { empty: boolean }) {
  const database = await createTestDatabase(options)
  databases.push(database)
  const DATA_DIR = at(`data-${database.connection.database}`)
  return { store: database.store, environment: { DATABASE_URL: databaseUrl(database.connection), DATA_DIR } }
}

async function insertDraftRun(client: Client, vault: Vault, accountId: string): Promise<void> {
  const [sessionId, draftId] = [randomUUID(), randomUUID()]
  const location = 'eu-west-1'
  await insertTestSession(client, {
    ...{
      id: sessionId,
      accountId,
      projectId: null,
      name: 'Draft',
      location,
      privateLocationId: null,
      userId: null,
      metadata: {},
    },
    ...{ options: { environmentVariables: [], retryStrategy: null, refreshCache: false }, expected: 1 },
    ...{ startedAt: Date.now(), isRecorded: false, suiteId: null, provider: 'API' },
  })
  const draft = { id: draftId, checkId: null, checkType: 'URL' as const, values: { name: 'Draft' } }
  await insertDrafts(client, vault, { accountId, sessionId }, [draft])
  await insertSessionRuns(client, [
    {
      ...{ accountId, checkId: null, draftId, sessionId, kind: 'test', part: draftId, location },
      ...{ queue: location, askedAt: Date.now(), isWaiting: false },
    },
  ])
}

async function fill(store: Store): Promise<void> {
  const account_id = furnished.accountId
  for (const text of oddTexts) {
    await store.db.insertInto('snippets').values({ account_id, name: text, script: text }).execute()
  }
  // More than one part of a table in the archive.
  const script = 'x'.repeat(1_000_000)
  for (let n = 0; n < 6; n++) {
    await store.db
      .insertInto('snippets')
      .values({ account_id, name: `large ${n}`, script })
      .execute()
  }
  const { id } = await store.db
    .insertInto('snippets')
    .values({ account_id, name: 'deleted', script: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await store.db.deleteFrom('snippets').where('id', '=', id).execute()
  await store.db.insertInto('check_groups').values(group(account_id)).execute()
  const { id: userId } = furnished.owner
  await putPasswordHash(store.db, userId, 'a hash', new Date())
  await insertSignIn(store.db, { userId, address: '192.0.2.1', userAgent: null, now: Date.now() })
}

function group(account_id: string) {
  return {
    account_id,
    name: 'g',
    activated: true,
    muted: false,
    locations: [],
    private_locations: [],
    ...{
      concurrency: 1,
      double_check: true,
      tags: ['a,b', 'c"d', '{}', ''],
      settings: JSON.stringify({ a: [null] }),
    },
  }
}

async function expectEverything(store: Store, dataDir: string): Promise<void> {
  // The first start has left a link, and `fill` a sign-in.
  expect([original.one_time_links?.length, original.sign_ins?.length]).toEqual([1, 1])
  expect(await readEverything(store)).toEqual({ ...original, one_time_links: [], sign_ins: [] })
  const [principal] = await findPrincipals(store.pool, [hashKey(furnished.rawKey)])
  expect(principal?.roles.get(furnished.accountId)).toBe('OWNER')
  const vault = await openSecretKey({ store, dataDir })
  const row = await store.db.selectFrom('variables').select('value').executeTakeFirstOrThrow()
  expect(unsealDeep(vault, furnished.accountId, row.value)).toBe(hiddenText)
  // The id of a deleted row isn't used again.
  const values = { account_id: furnished.accountId, name: 'next', script: '' }
  const { id } = await store.db
    .insertInto('snippets')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(id).toBe(oddTexts.length + 6 + 2)
  expect(await migrate(store.pool)).toEqual([])
}

async function readEverything(store: Store): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await store.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const everything: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    const { rows } = await store.pool.query(`select t::text as row from ${name} t order by t::text`)
    everything[name] = rows
  }
  return everything
}

async function namesIn(file: string): Promise<string[]> {
  const found: string[] = []
  await readBackup(file, async ({ name }) => {
    found.push(name)
  })
  return found
}

type Loose = {
  migrations: { number: number; name: string; checksum: string }[]
  tables: { name: string; columns: string[]; rows: number }[]
}

/** The same backup with another manifest and a valid checksum. */
async function repack(from: string, to: string, change: (manifest: Loose) => void, extra: TarEntry[] = []) {
  const chunks: Buffer[] = []
  const entries = async function* (): AsyncGenerator<TarEntry> {
    yield* extra
    for await (const { name, content } of readTar(onePiece(readFileSync(from)))) {
      if (name === names.checksum) continue
      const bytes = await readAll(content)
      if (name !== names.manifest) {
        yield entryOf(name, bytes)
        continue
      }
      const manifest = JSON.parse(bytes.toString())
      change(manifest)
      yield entryOf(name, Buffer.from(JSON.stringify(manifest)))
    }
  }
  for await (const chunk of packBackup(entries())) chunks.push(chunk)
  writeFileSync(to, Buffer.concat(chunks))
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}
