import type { Db } from './db.ts'

export interface CheckName {
  id: string
  name: string
  check_type: string
}

/** What the read side needs of a check; null also for one of another account. */
export async function findCheckName(db: Db, accountId: string, id: string): Promise<CheckName | null> {
  const row = await db
    .selectFrom('checks')
    .select(['id', 'name', 'check_type'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
