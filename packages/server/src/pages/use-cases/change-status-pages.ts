// Creates, replaces and deletes status pages, in the transaction of the caller.
import { randomUUID } from 'node:crypto'
import type { StatusPageInput, StatusPageReplacement } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import type { NewKey } from '../../storage/accounts/api-keys.ts'
import { removeFromMaintenanceWindows } from '../../storage/checks/maintenance-windows.ts'
import type { Db } from '../../storage/core/db.ts'
import { mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import { replaceStatusPageCards } from '../../storage/pages/status-page-cards.ts'
import { listOwnedServices } from '../../storage/pages/status-page-components.ts'
import * as pages from '../../storage/pages/status-pages.ts'
import { type ChangeContext, changeDomain, refuseReservedName } from './page-address.ts'
import { requestImages } from './page-images.ts'
import { deleteOwnServices, requireServices } from './services.ts'

type Input = z.output<typeof StatusPageInput>
type Replacement = z.output<typeof StatusPageReplacement>

const uniqueIndexes = { status_pages_url: 'url', status_pages_custom_domain: 'customDomain' }

/** `issued`: the key that was created because the page became private. */
export interface ChangedStatusPage {
  row: pages.StatusPageRow
  issued: NewKey | null
}

export async function createStatusPage(
  tx: Db,
  accountId: string,
  input: Input,
  context: ChangeContext,
): Promise<ChangedStatusPage> {
  refuseReservedName('url', input.url, null)
  const columns = {
    ...storedColumns(input),
    is_private: input.isPrivate,
    public_since: input.isPrivate ? null : new Date(context.now),
    version: input.version,
    id: randomUUID(),
    account_id: accountId,
  }
  const row = await mapUniqueViolation(uniqueIndexes, () => pages.insertStatusPage(tx, columns))
  const domain = { before: null, after: row.custom_domain }
  await changeDomain(tx, accountId, { status_page_id: row.id }, domain, context)
  await replaceCards(tx, row, input.cards, new Date(context.now))
  await requestImages(tx, accountId, input, context.now)
  return { row, issued: await matchKeys(tx, row) }
}

export async function replaceStatusPage(
  tx: Db,
  accountId: string,
  id: string,
  input: Replacement,
  context: ChangeContext,
): Promise<ChangedStatusPage> {
  const before = orNotFound(await pages.lockStatusPage(tx, accountId, id))
  refuseReservedName('url', input.url, before.url)
  const now = new Date(context.now)
  const is_private = input.isPrivate ?? before.is_private
  const public_since = is_private ? null : before.is_private ? now : before.public_since
  const { version } = input
  const columns = { ...storedColumns(input), is_private, public_since, version, updated_at: now }
  const updated = await mapUniqueViolation(uniqueIndexes, () =>
    pages.updateStatusPage(tx, accountId, before.id, columns),
  )
  const row = orNotFound(updated)
  const domain = { before: before.custom_domain, after: row.custom_domain }
  await changeDomain(tx, accountId, { status_page_id: row.id }, domain, context)
  await replaceCards(tx, row, input.cards, now)
  await requestImages(tx, accountId, input, context.now)
  return { row, issued: await matchKeys(tx, row) }
}

/** Windows are cleaned last: one that is created meanwhile and names the page is committed by then. */
export async function deleteStatusPage(tx: Db, accountId: string, id: string, now: number): Promise<void> {
  const page = orNotFound(await pages.lockStatusPage(tx, accountId, id))
  const owned = await listOwnedServices(tx, accountId, page.id)
  await pages.deleteStatusPage(tx, accountId, page.id)
  await deleteOwnServices(tx, accountId, owned, now)
  await removeFromMaintenanceWindows(tx, accountId, 'statusPageIds', [page.id])
}

/** Without cards, the components stay as they are. */
async function replaceCards(tx: Db, page: pages.StatusPageRow, sent: Replacement['cards'], now: Date) {
  if (sent === undefined) return
  const mentions = sent.flatMap((card, index) =>
    card.services.map(({ id }, position) => ({ id, path: ['cards', index, 'services', position, 'id'] })),
  )
  await requireServices(tx, page.account_id, mentions)
  const owned = await listOwnedServices(tx, page.account_id, page.id)
  await replaceStatusPageCards(tx, page.account_id, page.id, sent, now)
  await deleteOwnServices(tx, page.account_id, owned, now.getTime())
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

/** The settings of a stored page. One that an earlier release saved has the defaults of fields that were added since. */
export function settingsOf({ settings }: pages.StatusPageRow) {
  return {
    logoDark: null,
    privacyPolicyLink: null,
    termsOfServiceLink: null,
    supportLink: null,
    footerText: null,
    googleAnalyticsTag: null,
    allowIndexing: true,
    ...settings,
  }
}

function storedColumns(input: Replacement) {
  const { settings, ...columns } = pages.statusPageColumns(input)
  return { ...columns, settings: JSON.stringify(settings) }
}
