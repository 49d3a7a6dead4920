// One PostgreSQL for the whole test run; every test file clones the migrated template (testing/database.ts).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createLog } from '../core/log.ts'
import { openStore } from '../storage/core/db.ts'
import { migrate } from '../storage/core/migrate.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import { type TestPostgres, templateDatabase } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres
  }
}

/** The data lives as long as the run: nothing has to survive a crash of the machine. */
const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=4GB']

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-test-'))
  const embedded = await startEmbedded({ dataDir, log: createLog('error'), settings })
  const admin = openStore(embedded.connection, { poolSize: 1 })
  await admin.pool.query(`create database ${templateDatabase}`)
  const template = openStore({ ...embedded.connection, database: templateDatabase }, { poolSize: 2 })
  await migrate(template.pool)
  await template.close()
  await admin.close()
  project.provide('postgres', embedded.connection)
  return async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
