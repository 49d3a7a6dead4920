import type { Db } from './db.ts'

function statuses(db: Db, accountId: string) {
  return db
    .selectFrom('check_statuses as s')
    .innerJoin('checks as c', 'c.id', 's.check_id')
    .where('s.account_id', '=', accountId)
    .where('c.account_id', '=', accountId)
    .selectAll('s')
    .select('c.name')
}

export type CheckStatusRow = Awaited<ReturnType<typeof listCheckStatuses>>[number]

/** In the order of the list of checks. */
export function listCheckStatuses(db: Db, accountId: string) {
  return statuses(db, accountId).orderBy('c.created_at', 'desc').orderBy('c.id').execute()
}

export async function findCheckStatus(db: Db, accountId: string, checkId: string) {
  return (await statuses(db, accountId).where('s.check_id', '=', checkId).executeTakeFirst()) ?? null
}
