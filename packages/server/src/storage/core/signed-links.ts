import { type LinkSigning, type LinkTo, linkSigner } from '../../links/signed-link.ts'
import type { Db } from './db.ts'

export interface LinkAccess {
  epoch: number
  /** False: the account has disabled its links. */
  isOn: boolean
}

/** Null: the account doesn't exist. */
export async function findLinkAccess(db: Db, accountId: string): Promise<LinkAccess | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['link_epoch', 'settings'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { epoch: row.link_epoch, isOn: row.settings.resultLinks !== false }
}

export async function openLinks(db: Db, signing: LinkSigning, accountId: string): Promise<LinkTo> {
  const access = await findLinkAccess(db, accountId)
  return linkSigner(signing, accountId, access?.epoch ?? 0)
}

/** Revokes every link sent so far, of one account or of all. Returns the number of accounts. */
export async function revokeLinks(db: Db, accountId: string | null): Promise<number> {
  const all = db.updateTable('accounts').set((column) => ({ link_epoch: column('link_epoch', '+', 1) }))
  const { numUpdatedRows } = await (accountId === null
    ? all
    : all.where('id', '=', accountId)
  ).executeTakeFirst()
  return Number(numUpdatedRows)
}
