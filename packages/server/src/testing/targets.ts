// Checks and groups as bare rows: for tests of what refers to them.
import { randomUUID } from 'node:crypto'
import type { Db } from '../storage/core/db.ts'

export async function insertTestCheck(db: Db, accountId: string): Promise<string> {
  const id = randomUUID()
  await db
    .insertInto('checks')
    .values({
      id,
      account_id: accountId,
      check_type: 'URL',
      name: 'A check',
      activated: true,
      muted: false,
      should_fail: false,
      double_check: false,
      tags: [],
      frequency: 10,
      run_parallel: false,
      use_global_alert_settings: true,
      settings: '{}',
    })
    .execute()
  return id
}

export async function insertTestGroup(db: Db, accountId: string): Promise<number> {
  const { id } = await db
    .insertInto('check_groups')
    .values({
      account_id: accountId,
      name: 'A group',
      activated: true,
      muted: false,
      tags: [],
      locations: [],
      private_locations: [],
      concurrency: 3,
      double_check: false,
      settings: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
