import { type LinkSigning, type LinkTo, linkSigner } from '../../links/signed-link.ts'
import type { Db } from './db.ts'

export interface LinkAccess {
  epoch: number
  /** False: the account has turned its links off. */
  isOn: boolean
}

/** Null: there is no such account (any more). */
export async function findLinkAccess(db: Db, accountId: string): Promise<LinkAccess | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['link_epoch', 'settings'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { epoch: row.link_epoch, isOn: (row.settings as { resultLinks?: unknown }).resultLinks !== false }
}

export async function openLinks(db: Db, signing: LinkSigning, accountId: string): Promise<LinkTo> {
  const access = await findLinkAccess(db, accountId)
  return linkSigner(signing, accountId, access?.epoch ?? 0)
}

/** Ends every link sent so far, of one account or of all; returns how many accounts that are. */
export async function revokeLinks(db: Db, accountId: string | null): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((column) => ({ link_epoch: column('link_epoch', '+', 1) }))
    .$if(accountId !== null, (query) => query.where('id', '=', accountId as string))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
