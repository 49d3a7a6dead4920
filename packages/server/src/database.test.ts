import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import type { Log } from './core/log.ts'
import { type Database, openDatabase } from './database.ts'
import { connectionOfRunning } from './storage/embedded/start.ts'

let dataDir: string
let database: Database
let events: string[]

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vedette-database-'))
  events = []
  const note = (_: unknown, event?: unknown) => void events.push(String(event))
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const onLost = (error: Error) => events.push(error.message)
  database = await openDatabase({ config: readConfig({ DATA_DIR: dataDir }), log, onLost })
})
afterEach(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true })
})

const pidOfPostgres = () =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

function killPostgres(): number {
  const pid = pidOfPostgres()
  process.kill(pid, 'SIGKILL')
  return pid
}

describe('the embedded PostgreSQL', () => {
  it('accepts the connections of the pool, and some others', async () => {
    const { rows } = await database.store.pool.query('show max_connections')
    expect(rows).toEqual([{ max_connections: '60' }])
  })

  it('is restarted when it is killed', async () => {
    const pid = killPostgres()
    await expect.poll(() => events).toContain('database.restarted')
    expect((await database.store.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(pidOfPostgres()).not.toBe(pid)
  })

  it('does not outlive a database that is closed while it is restarted', async () => {
    killPostgres()
    await expect.poll(() => events).toContain('database.died')
    await database.close()
    expect(connectionOfRunning(dataDir)).toBeNull()
    expect(events).not.toContain('database.restarted')
  })
})
