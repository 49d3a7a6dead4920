// The cards of status pages, each with its services in their order.
import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { StatusPageServiceRow } from './status-page-services.ts'

export interface StatusPageCardRow extends Selectable<Tables['status_page_cards']> {
  services: StatusPageServiceRow[]
}

export interface StatusPageCardValues {
  id?: string | undefined
  name: string
  services: { id: string }[]
}

/** The cards of several pages, in two queries whatever their number. */
export async function listStatusPageCards(
  db: Db,
  accountId: string,
  pageIds: string[],
): Promise<StatusPageCardRow[]> {
  if (pageIds.length === 0) return []
  const cards = await db
    .selectFrom('status_page_cards')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', 'in', pageIds)
    .orderBy('position')
    .execute()
  const services = await db
    .selectFrom('status_page_card_services as link')
    .innerJoin('status_page_cards as card', 'card.id', 'link.card_id')
    .innerJoin('status_page_services as service', 'service.id', 'link.service_id')
    .selectAll('service')
    .select('link.card_id')
    .where('card.account_id', '=', accountId)
    .where('card.status_page_id', 'in', pageIds)
    .orderBy('link.position')
    .execute()
  const servicesOf = Map.groupBy(services, (service) => service.card_id)
  return cards.map((card) => ({ ...card, services: servicesOf.get(card.id) ?? [] }))
}

/** Cards with an id of this page keep it and their creation time; others are created, and missing ones removed. */
export async function replaceStatusPageCards(
  tx: Db,
  accountId: string,
  pageId: string,
  cards: StatusPageCardValues[],
  at: Date,
): Promise<void> {
  const existing = await tx
    .selectFrom('status_page_cards')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .execute()
  const known = new Set(existing.map((card) => card.id))
  const wanted = cards.map(({ id, ...card }) => {
    const own = id?.toLowerCase()
    return { ...card, id: own !== undefined && known.has(own) ? own : randomUUID() }
  })
  await deleteCardsExcept(tx, accountId, pageId, wanted)
  await insertOrUpdateCards(tx, accountId, pageId, wanted, at)
  const links = wanted.flatMap((card) =>
    card.services.map((service, position) => ({
      account_id: accountId,
      card_id: card.id,
      service_id: service.id,
      position,
    })),
  )
  if (links.length > 0) await tx.insertInto('status_page_card_services').values(links).execute()
}

/** The kept cards are emptied, the others deleted. */
async function deleteCardsExcept(
  tx: Db,
  accountId: string,
  pageId: string,
  kept: { id: string }[],
): Promise<void> {
  const ids = kept.map((card) => card.id)
  let others = tx
    .deleteFrom('status_page_cards')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
  if (ids.length > 0) {
    others = others.where('id', 'not in', ids)
    await tx
      .deleteFrom('status_page_card_services')
      .where('account_id', '=', accountId)
      .where('card_id', 'in', ids)
      .execute()
  }
  await others.execute()
}

async function insertOrUpdateCards(
  tx: Db,
  accountId: string,
  pageId: string,
  cards: { id: string; name: string }[],
  at: Date,
): Promise<void> {
  if (cards.length === 0) return
  await tx
    .insertInto('status_page_cards')
    .values(
      cards.map(({ id, name }, position) => ({
        id,
        account_id: accountId,
        status_page_id: pageId,
        name,
        position,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        position: eb.ref('excluded.position'),
        updated_at: at,
      })),
    )
    .execute()
}
