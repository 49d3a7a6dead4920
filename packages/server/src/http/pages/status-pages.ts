import {
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  listStatusPages,
  replaceStatusPage,
  type StatusPage,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { ownHosts } from '../../core/own-hosts.ts'
import * as changes from '../../pages/use-cases/change-status-pages.ts'
import { imageWarnings } from '../../pages/use-cases/page-images.ts'
import type { NewKey } from '../../storage/accounts/api-keys.ts'
import type { Db } from '../../storage/core/db.ts'
import { listIncidentsOfPages } from '../../storage/pages/incidents.ts'
import { cardsOf, type StatusPageCard } from '../../storage/pages/status-page-cards.ts'
import { componentName, listStatusPageComponents } from '../../storage/pages/status-page-components.ts'
import * as pages from '../../storage/pages/status-pages.ts'
import { readProjectFields } from '../../storage/projects/owners.ts'
import { serializeAccessKey } from '../accounts/access-keys.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { changePages } from './change-pages.ts'
import { serializeComponent } from './serialize-component.ts'
import { type DomainDeps, readDomainStatuses } from './serialize-custom-domain.ts'
import { serializeIncidents, serializeService } from './serialize-incidents.ts'

type SerializedPage = z.output<typeof StatusPage>

const incidentsShown = 20

export function statusPageRoutes(deps: Deps): Mounted[] {
  const { store, clock, config } = deps
  const { db } = store
  const context = () => ({ now: clock.now(), ownHosts: ownHosts(config) })
  const change = changePages(deps)
  return [
    handle(listStatusPages, async ({ account, query }) => {
      const page = await pages.listStatusPages(db, account.id, readCursor(query))
      return serializePage(page, await serializeStatusPages(db, deps, account.id, page.entries))
    }),
    handle(getStatusPage, async ({ account, params, warn }) => {
      const row = orNotFound(await pages.findStatusPage(db, account.id, params.statusPageId))
      for (const sentence of await imageWarnings(db, account.id, row.settings)) warn(sentence)
      return serializeOne(db, deps, row)
    }),
    handle(createStatusPage, async ({ account, body, warn }) => {
      for (const sentence of await imageWarnings(db, account.id, body)) warn(sentence)
      return change(async (tx) => {
        const { row, issued } = await changes.createStatusPage(tx, account.id, body, context())
        return serializeOne(tx, deps, row, issued)
      })
    }),
    handle(replaceStatusPage, async ({ account, params, body, warn }) => {
      for (const sentence of await imageWarnings(db, account.id, body)) warn(sentence)
      return change(async (tx) => {
        const id = params.statusPageId
        const { row, issued } = await changes.replaceStatusPage(tx, account.id, id, body, context())
        return serializeOne(tx, deps, row, issued)
      })
    }),
    handle(deleteStatusPage, ({ account, params }) =>
      change((tx) => changes.deleteStatusPage(tx, account.id, params.statusPageId, clock.now())),
    ),
  ]
}

async function serializeOne(
  db: Db,
  deps: DomainDeps,
  row: pages.StatusPageRow,
  issued: NewKey | null = null,
) {
  const [page] = await serializeStatusPages(db, deps, row.account_id, [row], issued)
  return orNotFound(page)
}

async function serializeStatusPages(
  db: Db,
  deps: DomainDeps,
  accountId: string,
  rows: pages.StatusPageRow[],
  issued: NewKey | null = null,
): Promise<SerializedPage[]> {
  const ids = rows.map((row) => row.id)
  // Sequential: inside a transaction they share one connection.
  const components = await listStatusPageComponents(db, accountId, ids)
  const allKeys = await pages.listStatusPageKeys(db, accountId, ids)
  const touched = await listIncidentsOfPages(db, accountId, ids, incidentsShown)
  const serialized = await serializeIncidents(db, accountId, touched)
  const domains = await readDomainStatuses(db, deps, accountId, rows)
  const bound = await readProjectFields(db, accountId, 'status-page', ids)
  const componentsOf = Map.groupBy(components, (component) => component.status_page_id)
  const keysOf = Map.groupBy(allKeys, (key) => key.status_page_id)
  const incidentsOf = Map.groupBy(touched, (incident) => incident.status_page_id)
  const incidents = new Map(serialized.map((incident) => [incident.id, incident]))
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    url: row.url,
    customDomain: row.custom_domain,
    customDomainStatus: domains.get(row.id) ?? null,
    ...changes.settingsOf(row),
    isPrivate: row.is_private,
    whiteLabel: false,
    version: row.version === 3 ? 3 : 2,
    cards: cardsOf(componentsOf.get(row.id) ?? []).map(serializeCard),
    components: (componentsOf.get(row.id) ?? []).map(serializeComponent),
    keys: (keysOf.get(row.id) ?? []).map((key) => serializeAccessKey(key, issued)),
    incidents: (incidentsOf.get(row.id) ?? []).flatMap(({ id }) => incidents.get(id) ?? []),
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...bound.get(row.id),
  }))
}

function serializeCard({ component, services }: StatusPageCard): SerializedPage['cards'][number] {
  return {
    id: component.id,
    name: componentName(component),
    services: services.map(serializeService),
    created_at: component.created_at,
    updated_at: component.updated_at,
  }
}
