// This version with one more migration, which changes a table and then waits: a server can be killed in the middle of it.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkout, thisCheckout } from '../fleet.ts'
import { query } from './store.ts'

const migration = `-- Planted by npm run drill -- upgrade.
alter table checks add column planted_by_drill text;
create table planted_by_drill (id integer primary key);
select pg_sleep(600);
`

export function plantMigration(folder: string): Checkout {
  const server = join(thisCheckout.root, 'packages/server')
  mkdirSync(join(folder, 'packages'), { recursive: true })
  cpSync(server, join(folder, 'packages/server'), { recursive: true })
  writeFileSync(join(folder, 'packages/server/migrations/9999_planted_by_drill.sql'), migration)
  symlinkSync(join(thisCheckout.root, 'node_modules'), join(folder, 'node_modules'))
  return { root: folder, node: thisCheckout.node }
}

/** Whether a server is in the middle of the planted migration. */
export async function isMigrating(dataDir: string): Promise<boolean> {
  try {
    const found = await query(
      dataDir,
      `select from pg_stat_activity where query like '%planted_by_drill%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()`,
    )
    return found.length > 0
  } catch {
    // PostgreSQL isn't up yet.
    return false
  }
}
