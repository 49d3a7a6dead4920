// One PostgreSQL for the whole test run; every test file clones the migrated template (testing/database.ts).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createLog } from '../core/log.ts'
import { openStore } from '../storage/core/db.ts'
import { distribute, historyTables } from '../storage/core/distribution.ts'
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
  const { TEST_CLUSTER_URL: url } = process.env
  if (url !== undefined) return useCluster(project, new URL(url))
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

/**
 * The tests on distributed tables. The database of the URL is a template for all others: a cluster of one machine, since
 * that can be cloned.
 */
async function useCluster(project: TestProject, url: URL): Promise<() => Promise<void>> {
  const postgres: TestPostgres = {
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: url.password,
    database: 'postgres',
  }
  const admin = openStore(postgres, { poolSize: 1 })
  await admin.pool.query(`drop database if exists ${templateDatabase} with (force)`)
  await admin.pool.query(`create database ${templateDatabase} template ${url.pathname.slice(1)}`)
  const template = openStore({ ...postgres, database: templateDatabase }, { poolSize: 2 })
  await migrate(template.pool)
  for (const table of historyTables) await distribute(template.pool, table, 4)
  await template.close()
  // A database can only be cloned while nothing is connected to it, and the cluster connects by itself.
  await admin.pool.query(`alter database ${templateDatabase} allow_connections false`)
  await admin.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    templateDatabase,
  ])
  await admin.close()
  project.provide('postgres', postgres)
  return async () => undefined
}
