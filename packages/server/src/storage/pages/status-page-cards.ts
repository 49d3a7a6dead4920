// The cards of status pages: the first level of groups among the components, each with the services directly in it.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { StatusPageComponentRow } from './status-page-components.ts'
import type { StatusPageServiceRow } from './status-page-services.ts'

export interface StatusPageCard {
  component: StatusPageComponentRow
  services: StatusPageServiceRow[]
}

export interface StatusPageCardValues {
  id?: string | undefined
  name: string
  services: { id: string }[]
}

/** Each service of a page once. */
export async function listShownServices(
  db: Db,
  accountId: string,
  pageId: string,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select service_id as id, min(name) as name from status_page_shown_services
    where account_id = ${accountId} and status_page_id = ${pageId}
    group by service_id order by name, id`.execute(db)
  return rows
}

export function cardsOf(components: readonly StatusPageComponentRow[]): StatusPageCard[] {
  const byParent = Map.groupBy(components, (component) => component.parent_id)
  return (byParent.get(null) ?? [])
    .filter(({ service_id }) => service_id === null)
    .map((component) => ({
      component,
      services: (byParent.get(component.id) ?? []).flatMap(({ service }) => service ?? []),
    }))
}

/**
 * Cards with an id of this page keep it and their creation time; others are created, and missing ones removed. So do the
 * services of a card. Other components of the page stay as they are.
 */
export async function replaceStatusPageCards(
  tx: Db,
  accountId: string,
  pageId: string,
  cards: StatusPageCardValues[],
  at: Date,
): Promise<void> {
  const existing = await tx
    .selectFrom('status_page_components')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where('parent_id', 'is', null)
    .where('service_id', 'is', null)
    .execute()
  const known = new Set(existing.map((card) => card.id))
  const wanted = cards.map(({ id, ...card }) => {
    const own = id?.toLowerCase()
    return { ...card, id: own !== undefined && known.has(own) ? own : randomUUID() }
  })
  const kept = new Set(wanted.map(({ id }) => id))
  const removed = [...known].filter((id) => !kept.has(id))
  if (removed.length > 0) {
    await tx
      .deleteFrom('status_page_components')
      .where('account_id', '=', accountId)
      .where('id', 'in', removed)
      .execute()
  }
  await insertOrUpdateCards(tx, accountId, pageId, wanted, at)
  await replaceCardServices(tx, accountId, pageId, wanted)
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
    .insertInto('status_page_components')
    .values(
      cards.map(({ id, name }, display_order) => ({
        id,
        account_id: accountId,
        status_page_id: pageId,
        name,
        display_order,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        display_order: eb.ref('excluded.display_order'),
        updated_at: at,
      })),
    )
    .execute()
}

async function replaceCardServices(
  tx: Db,
  accountId: string,
  pageId: string,
  cards: { id: string; services: { id: string }[] }[],
): Promise<void> {
  const links = cards.flatMap(({ id, services }) =>
    services.map((service, order) => ({ card: id, service: service.id, order })),
  )
  const wanted = sql`unnest(${links.map(({ card }) => card)}::uuid[], ${links.map(({ service }) => service)}::uuid[],
    ${links.map(({ order }) => order)}::integer[]) as wanted (card_id, service_id, display_order)`
  await sql`
    delete from status_page_components shown
    where account_id = ${accountId} and parent_id = any(${cards.map(({ id }) => id)}::uuid[])
      and service_id is not null and not exists (
        select from ${wanted} where wanted.card_id = shown.parent_id and wanted.service_id = shown.service_id)`.execute(
    tx,
  )
  await sql`
    insert into status_page_components (account_id, status_page_id, parent_id, service_id, display_order)
    select ${accountId}, ${pageId}, card_id, service_id, display_order from ${wanted}
    on conflict (service_id, status_page_id, parent_id) where service_id is not null
    do update set display_order = excluded.display_order`.execute(tx)
}
