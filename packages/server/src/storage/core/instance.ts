import type { Db } from './db.ts'

/** A value that belongs to this installation, or null. */
export async function findInstanceValue(db: Db, key: string): Promise<unknown> {
  const row = await db.selectFrom('instance').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value ?? null
}

export async function setInstanceValue(db: Db, key: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('instance')
    .values({ key, value: json })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
    .execute()
}
