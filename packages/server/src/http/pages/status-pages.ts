import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  listStatusPages,
  replaceStatusPage,
  type StatusPage,
  type StatusPageReplacement,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { NewKey } from '../../storage/accounts/api-keys.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import { listIncidentsOfPages } from '../../storage/pages/incidents.ts'
import * as cards from '../../storage/pages/status-page-cards.ts'
import * as pages from '../../storage/pages/status-pages.ts'
import { serializeAccessKey } from '../accounts/access-keys.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { requireServices } from './require-services.ts'
import { serializeIncidents, serializeService } from './serialize-incidents.ts'

type SerializedPage = z.output<typeof StatusPage>
type StatusPageValues = Omit<z.output<typeof StatusPageReplacement>, 'isPrivate'>

const uniqueIndexes = { status_pages_url: 'url', status_pages_custom_domain: 'customDomain' }
const incidentsShown = 20

export function statusPageRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listStatusPages, async ({ account, query }) => {
      const page = await pages.listStatusPages(db, account.id, readCursor(query))
      return serializePage(page, await serializeStatusPages(db, account.id, page.entries))
    }),
    handle(getStatusPage, async ({ account, params }) => {
      return serializeOne(db, orNotFound(await pages.findStatusPage(db, account.id, params.statusPageId)))
    }),
    handle(createStatusPage, async ({ account, body }) => {
      return mapUniqueViolation(uniqueIndexes, () =>
        transact(db, async (tx) => {
          const columns = { ...columnsOf(body), is_private: body.isPrivate }
          const row = await pages.insertStatusPage(tx, {
            ...columns,
            id: randomUUID(),
            account_id: account.id,
          })
          await replaceCards(tx, row, body.cards, new Date(clock.now()))
          return serializeOne(tx, row, await matchKeys(tx, row))
        }),
      )
    }),
    handle(replaceStatusPage, async ({ account, params, body }) => {
      const now = new Date(clock.now())
      return mapUniqueViolation(uniqueIndexes, () =>
        transact(db, async (tx) => {
          const before = orNotFound(await pages.lockStatusPage(tx, account.id, params.statusPageId))
          const is_private = body.isPrivate ?? before.is_private
          const values = { ...columnsOf(body), is_private, updated_at: now }
          const row = orNotFound(await pages.updateStatusPage(tx, account.id, before.id, values))
          await replaceCards(tx, row, body.cards, now)
          return serializeOne(tx, row, await matchKeys(tx, row))
        }),
      )
    }),
    handle(deleteStatusPage, async ({ account, params }) => {
      if (!(await pages.deleteStatusPage(db, account.id, params.statusPageId)))
        throw new ApiError('not_found')
    }),
  ]
}

async function replaceCards(tx: Db, page: pages.StatusPageRow, sent: StatusPageValues['cards'], now: Date) {
  const mentions = sent.flatMap((card, index) =>
    card.services.map(({ id }, position) => ({ id, path: ['cards', index, 'services', position, 'id'] })),
  )
  await requireServices(tx, page.account_id, mentions)
  await cards.replaceStatusPageCards(tx, page.account_id, page.id, sent, now)
}

/** choice: a private page has a key, a public one has none, so making a page private again rotates its key. */
async function matchKeys(tx: Db, page: pages.StatusPageRow): Promise<NewKey | null> {
  if (!page.is_private) {
    await pages.deleteStatusPageKeys(tx, page.account_id, page.id)
    return null
  }
  const keys = await pages.listStatusPageKeys(tx, page.account_id, [page.id])
  return keys.length > 0 ? null : (await pages.insertStatusPageKey(tx, page.account_id, page.id)).key
}

function columnsOf(values: StatusPageValues) {
  const { name, url, customDomain, description, logo, favicon, redirectTo, defaultTheme, themeColors } =
    values
  const settings: pages.StatusPageRow['settings'] = {
    description,
    logo,
    favicon,
    redirectTo,
    defaultTheme,
    themeColors,
  }
  return { name, url, custom_domain: customDomain, settings: JSON.stringify(settings) }
}

async function serializeOne(db: Db, row: pages.StatusPageRow, issued: NewKey | null = null) {
  const [page] = await serializeStatusPages(db, row.account_id, [row], issued)
  return orNotFound(page)
}

async function serializeStatusPages(
  db: Db,
  accountId: string,
  rows: pages.StatusPageRow[],
  issued: NewKey | null = null,
): Promise<SerializedPage[]> {
  const ids = rows.map((row) => row.id)
  // Sequential: inside a transaction they share one connection.
  const allCards = await cards.listStatusPageCards(db, accountId, ids)
  const allKeys = await pages.listStatusPageKeys(db, accountId, ids)
  const touched = await listIncidentsOfPages(db, accountId, ids, incidentsShown)
  const serialized = await serializeIncidents(db, accountId, touched)
  const cardsOf = Map.groupBy(allCards, (card) => card.status_page_id)
  const keysOf = Map.groupBy(allKeys, (key) => key.status_page_id)
  const incidentsOf = Map.groupBy(touched, (incident) => incident.status_page_id)
  const incidents = new Map(serialized.map((incident) => [incident.id, incident]))
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    url: row.url,
    customDomain: row.custom_domain,
    ...row.settings,
    isPrivate: row.is_private,
    whiteLabel: false,
    cards: (cardsOf.get(row.id) ?? []).map(serializeCard),
    keys: (keysOf.get(row.id) ?? []).map((key) => serializeAccessKey(key, issued)),
    incidents: (incidentsOf.get(row.id) ?? []).flatMap(({ id }) => incidents.get(id) ?? []),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

function serializeCard(row: cards.StatusPageCardRow): SerializedPage['cards'][number] {
  return {
    id: row.id,
    name: row.name,
    services: row.services.map(serializeService),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
