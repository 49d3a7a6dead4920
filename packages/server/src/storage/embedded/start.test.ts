import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLog, type Log } from '../../core/log.ts'
import { canTraverse, DATABASE_UID, isRoot } from './identity.ts'
import { isRunning, waitUntilGone } from './processes.ts'
import type { Connection } from './settings.ts'
import type { Embedded } from './start.ts'
import { connectionOfRunning, startEmbedded } from './start.ts'

const NOBODY = 65534
// In a clone under /root or a mktemp -d, no other user can run Node from it.
const isOpenToAll = canTraverse(dirname(realpathSync(process.execPath)), { uid: NOBODY, gid: NOBODY })

let base: string
let dataDir: string
let running: Embedded[]
let children: ChildProcess[]
let said: string[]

const log: Log = { debug: note, info: note, warn: note, error: note }
function note(...words: unknown[]): void {
  said.push(words.map(String).join(' '))
}

/** A cluster that most tests copy: making one takes longer than the rest of a test. */
let template: string
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'vedette-template-'))
  const made = await startEmbedded({ dataDir: join(template, 'data'), log: createLog('error') })
  await made.stop()
})
afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-embedded-'))
  dataDir = join(base, 'data')
  running = []
  children = []
  said = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(running.map((database) => database.stop()))
  rmSync(base, { recursive: true, force: true })
})

describe('startEmbedded', () => {
  it('makes a cluster on the first start and finds its rows on the second', async () => {
    const first = await start()
    await query(first.connection, 'create table kept (id int); insert into kept values (1)')
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600)
    expect(statSync(first.connection.host).mode & 0o777).toBe(0o700)
    const [settings] = await query(
      first.connection,
      `select current_setting('listen_addresses') listen, current_setting('fsync') fsync, current_setting('data_checksums') checksums,
        current_setting('server_encoding') encoding, (select datlocale from pg_database where datname = current_database()) locale`,
    )
    expect(settings).toEqual({
      listen: '',
      fsync: 'on',
      checksums: 'on',
      encoding: 'UTF8',
      locale: 'C.UTF-8',
    })
    await expect(query({ ...first.connection, password: 'wrong' }, 'select 1')).rejects.toThrow(
      'password authentication failed',
    )
    await first.stop()
    expect(existsSync(first.connection.host)).toBe(false)
    expect(isRunning(first.pid)).toBe(false)

    const second = await start()
    expect(await query(second.connection, 'select id from kept')).toEqual([{ id: 1 }])
    expect(said.filter((line) => line.startsWith('initialising'))).toHaveLength(1)
  })

  it('has more shared buffers if what each run needs is larger', async () => {
    copyCluster()
    const small = await start()
    expect(await query(small.connection, 'show shared_buffers')).toEqual([{ shared_buffers: '24MB' }])
    // 2,500 pages of 8 KB.
    await query(small.connection, 'create table checks (text char(7000) storage plain)')
    await query(small.connection, "insert into checks select '' from generate_series(1, 2500)")
    await small.stop()
    const large = await start()
    expect(await query(large.connection, 'show shared_buffers')).toEqual([{ shared_buffers: '39MB' }])
    await large.stop()
    expect(isRunning(large.pid)).toBe(false)
  })

  it('starts with the least shared buffers if PostgreSQL refuses more', async () => {
    copyCluster()
    const database = await startEmbedded({ dataDir, log, sharedBuffersMb: async () => 10_000_000 })
    running.push(database)
    expect(await query(database.connection, 'show shared_buffers')).toEqual([{ shared_buffers: '24MB' }])
    expect(said).toContainEqual(
      expect.stringMatching(
        /^PostgreSQL starts with 24 MB of shared buffers, .*10000000 MB: .*outside the valid range/s,
      ),
    )
  })

  it('lets other processes connect while it runs', async () => {
    expect(connectionOfRunning(dataDir)).toBeNull()
    copyCluster()
    const database = await start()
    expect(connectionOfRunning(dataDir)).toEqual(database.connection)
    await database.stop()
    expect(connectionOfRunning(dataDir)).toBeNull()
  })

  it('loses no acknowledged row when PostgreSQL is killed, reports it, and recovers', async () => {
    copyCluster()
    const exits: Error[] = []
    const database = await startEmbedded({ dataDir, log, onExit: (error) => exits.push(error) })
    running.push(database)
    await query(database.connection, 'create table kept (id int)')
    let acknowledged = 0
    const writing = (async () => {
      for (;;) {
        await query(database.connection, `insert into kept values (${acknowledged + 1})`)
        acknowledged += 1
        if (acknowledged === 20) process.kill(database.pid, 'SIGKILL')
      }
    })()
    await expect(writing).rejects.toThrow()
    await expect.poll(() => exits.map((error) => error.message)).toEqual([expect.stringContaining('SIGKILL')])
    expect(acknowledged).toBeGreaterThanOrEqual(20)

    const again = await start()
    const [{ rows }] = await query(again.connection, 'select count(*)::int as rows from kept')
    expect(rows).toBeGreaterThanOrEqual(acknowledged)
    expect(existsSync(database.connection.host)).toBe(false)
  })

  it('stops the PostgreSQL that a killed server left behind, and keeps its rows', {
    tags: ['story'],
  }, async () => {
    copyCluster()
    const orphan = await startInChild()
    await query(orphan.connection, 'create table kept (id int); insert into kept values (7)')
    orphan.child.kill('SIGKILL')
    await once(orphan.child, 'exit')
    expect(isRunning(orphan.pid)).toBe(true)
    expect(connectionOfRunning(dataDir)).toEqual(orphan.connection)

    const database = await start()
    expect(isRunning(orphan.pid)).toBe(false)
    expect(existsSync(orphan.connection.host)).toBe(false)
    expect(await query(database.connection, 'select id from kept')).toEqual([{ id: 7 }])
  })

  it('does not mistake another process for PostgreSQL: a stale pid file is replaced, whatever it contains', async () => {
    copyCluster()
    const bystander = spawn('sleep', ['60'], {
      stdio: 'ignore',
      ...(isRoot() ? { uid: DATABASE_UID, gid: DATABASE_UID } : {}),
    })
    children.push(bystander)
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
    for (const content of [
      `${bystander.pid}\n${dataDir}\n1\n5432\n/tmp/vedette-pg-gone00\n\n1 1\nready\n`,
      '4194000\n',
      '',
      'garbage',
    ]) {
      writeFileSync(pidFile, content)
      if (isRoot()) chownSync(pidFile, DATABASE_UID, DATABASE_UID)
      await (await start()).stop()
    }
    expect(isRunning(bystander.pid!)).toBe(true)
  })

  it('starts over after an initialization that was cut off', { tags: ['story'] }, async () => {
    mkdirSync(join(dataDir, 'postgres.new-abc123', 'base'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres.new-abc123', 'PG_VERSION'), '18\n')
    const child = spawnServer()
    await expect
      .poll(
        () =>
          existsSync(dataDir) &&
          readdirSync(dataDir).some((name) => name.startsWith('postgres.new-') && !name.endsWith('abc123')),
        { timeout: 10_000, interval: 5 },
      )
      .toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)

    const database = await start()
    expect(await query(database.connection, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))).toEqual([])
  })

  it('sets a new password when the file with it is lost', { tags: ['story'] }, async () => {
    copyCluster()
    const first = await start()
    await first.stop()
    rmSync(join(dataDir, 'postgres-password'))
    const second = await start()
    expect(second.connection.password).not.toBe(first.connection.password)
    expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('works in a folder whose path is too long for a socket', { tags: ['story'] }, async () => {
    dataDir = join(base, 'x'.repeat(100), 'y'.repeat(100), 'data')
    const database = await start()
    expect(await query(database.connection, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('names the directory and the fix if the cluster has another version, is foreign or damaged', async () => {
    const clusterDir = join(dataDir, 'postgres')
    mkdirSync(clusterDir, { recursive: true })
    writeFileSync(join(clusterDir, 'notes.txt'), '')
    await expect(start()).rejects.toThrow(`${clusterDir} holds something else`)
    writeFileSync(join(clusterDir, 'PG_VERSION'), '15\n')
    await expect(start()).rejects.toThrow(`${clusterDir} was made by PostgreSQL 15`)
    writeFileSync(join(clusterDir, 'PG_VERSION'), '18\n')
    await expect(start()).rejects.toThrow(`${clusterDir} is damaged`)
  })

  it("fails with the last log lines of PostgreSQL if it doesn't start", async () => {
    copyCluster()
    writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
    await expect(start()).rejects.toThrow(/did not start on .*postgres[\s\S]*no_such_setting/)
  })

  it('keeps the database under a user id of its own', () => {
    expect(new Set([0, NOBODY, DATABASE_UID]).size).toBe(3)
  })
})

describe.runIf(isRoot())('startEmbedded as root', () => {
  it('runs PostgreSQL as an unprivileged user, under a folder that only root may enter', async () => {
    chmodSync(base, 0o700)
    const database = await start()
    expect(statSync(`/proc/${database.pid}`).uid).toBe(DATABASE_UID)
    await query(database.connection, 'create table kept (id int); insert into kept values (1)')
    await query(database.connection, "alter system set work_mem = '7MB'")
    await query(database.connection, 'checkpoint')
    await query(database.connection, 'select pg_reload_conf()')
    await expect.poll(() => query(database.connection, 'show work_mem')).toEqual([{ work_mem: '7MB' }])
    await query(database.connection, 'create extension citext')
    await query(
      database.connection,
      `create database copy template ${database.connection.database} strategy file_copy`,
      'postgres',
    )
    expect(await query(database.connection, 'select id from kept', 'copy')).toEqual([{ id: 1 }])
    process.kill(database.pid, 'SIGKILL')
    await waitUntilGone(database.pid, 5_000)
    const again = await start()
    expect(await query(again.connection, 'select id from kept')).toEqual([{ id: 1 }])
  })

  it('opens a cluster that was copied back as root', { tags: ['story'] }, async () => {
    copyCluster()
    giveToRoot(join(dataDir, 'postgres'))
    const again = await start()
    expect(statSync(`/proc/${again.pid}`).uid).toBe(DATABASE_UID)
  })

  it.runIf(isOpenToAll)(
    'works for an ordinary user, goes on with their cluster as root, and lets them have it back',
    { tags: ['story'] },
    async () => {
      chownSync(base, NOBODY, NOBODY)
      for (const round of [1, 2]) {
        const theirs = await startInChild({ uid: NOBODY, gid: NOBODY })
        expect(statSync(`/proc/${theirs.pid}`).uid).toBe(NOBODY)
        await query(theirs.connection, `create table round_${round} (id int)`)
        theirs.child.kill('SIGTERM')
        await once(theirs.child, 'exit')
        expect(isRunning(theirs.pid)).toBe(false)
        const database = await start()
        expect(statSync(`/proc/${database.pid}`).uid).toBe(NOBODY)
        expect(await query(database.connection, `select * from round_${round}`)).toEqual([])
        await database.stop()
      }
    },
  )

  it.runIf(isOpenToAll)('tells an ordinary user whose folder it is', async () => {
    copyCluster()
    chmodSync(base, 0o755)
    await expect(startInChild({ uid: NOBODY, gid: NOBODY })).rejects.toThrow(
      `${dataDir} is closed to this user`,
    )
    chmodSync(dataDir, 0o755)
    await expect(startInChild({ uid: NOBODY, gid: NOBODY })).rejects.toThrow(
      `belongs to user id ${DATABASE_UID}`,
    )
  })
})

/** As a start left it, with its owners and modes. */
function copyCluster(): void {
  execFileSync('cp', ['-a', join(template, 'data'), dataDir])
}

async function start(): Promise<Embedded> {
  const database = await startEmbedded({ dataDir, log })
  running.push(database)
  return database
}

async function query(connection: Connection, sql: string, database = connection.database) {
  const client = new pg.Client({ ...connection, database })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function spawnServer(identity: { uid?: number; gid?: number } = {}): ChildProcess {
  const program = `
    const { startEmbedded } = await import(${JSON.stringify(new URL('./start.ts', import.meta.url).href)})
    const quiet = () => {}
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
    const { connection, pid, stop } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log })
    process.on('SIGTERM', () => stop())
    console.log(JSON.stringify({ connection, pid }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  })
  children.push(child)
  return child
}

async function startInChild(identity: { uid?: number; gid?: number } = {}) {
  const child = spawnServer(identity)
  let errors = ''
  child.stderr!.on('data', (chunk) => (errors += chunk))
  const line = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([text]) => String(text)),
    once(child, 'close').then(() => Promise.reject(new Error(errors))),
  ])
  const { connection, pid } = JSON.parse(line) as { connection: Connection; pid: number }
  return { child, connection, pid }
}

function giveToRoot(path: string): void {
  chownSync(path, 0, 0)
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) giveToRoot(join(path, name))
}
