// Adds, changes and removes components of a status page, in the transaction of the caller. The page is locked, so that
// the rules about the tree hold.
import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type BodyOf,
  componentLimits,
  type createStatusPageComponent,
  type FieldIssue,
  invalidInput,
  type updateStatusPageComponent,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import { mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import * as components from '../../storage/pages/status-page-components.ts'
import * as services from '../../storage/pages/status-page-services.ts'
import { lockStatusPage } from '../../storage/pages/status-pages.ts'
import { deleteOwnServices, requireServices } from './services.ts'

type Input = BodyOf<typeof createStatusPageComponent>
type Update = BodyOf<typeof updateStatusPageComponent>
type Row = components.StatusPageComponentRow

const uniqueIndexes = { status_page_components_service: 'serviceId' }

export async function createComponent(
  tx: Db,
  accountId: string,
  pageId: string,
  input: Input,
  now: number,
): Promise<Row> {
  const all = await readTree(tx, accountId, pageId)
  if (all.length >= componentLimits.perPage) {
    throw new ApiError('conflict', {
      message: `A status page has at most ${componentLimits.perPage} components.`,
    })
  }
  const parentId = input.parentId?.toLowerCase() ?? null
  refuse(parentIssues(all, null, parentId))
  const { name, service, isOwn } = await placeService(tx, accountId, input)
  const values = {
    id: randomUUID(),
    account_id: accountId,
    status_page_id: pageId,
    parent_id: parentId,
    service_id: service?.id ?? null,
    owns_service: isOwn,
    name,
    description: input.description,
    hidden: input.hidden,
    display_order: input.displayOrder ?? nextOrder(all, parentId),
    configuration: JSON.stringify(input.configuration),
    created_at: new Date(now),
  }
  const insert = () => components.insertStatusPageComponent(tx, values)
  return { ...(await mapUniqueViolation(uniqueIndexes, insert)), service }
}

export async function updateComponent(
  tx: Db,
  accountId: string,
  { statusPageId, componentId }: { statusPageId: string; componentId: string },
  input: Update,
  now: number,
): Promise<Row> {
  const all = await readTree(tx, accountId, statusPageId)
  const before = orNotFound(all.find(({ id }) => id === componentId.toLowerCase()))
  const parentId = input.parentId === undefined ? before.parent_id : (input.parentId?.toLowerCase() ?? null)
  refuse([...fixedFieldIssues(before, input), ...parentIssues(all, before, parentId)])
  const { name, service } = await rename(tx, before, input.name, now)
  const { description, hidden, displayOrder: display_order } = input
  const configuration = input.configuration && JSON.stringify(input.configuration)
  const values = { parent_id: parentId, name, description, hidden, display_order, configuration }
  const row = await mapUniqueViolation(uniqueIndexes, () =>
    components.updateStatusPageComponent(tx, accountId, before.id, { ...values, updated_at: new Date(now) }),
  )
  return { ...orNotFound(row), service }
}

export async function deleteComponent(
  tx: Db,
  accountId: string,
  { statusPageId, componentId }: { statusPageId: string; componentId: string },
  now: number,
): Promise<void> {
  const all = await readTree(tx, accountId, statusPageId)
  const component = orNotFound(all.find(({ id }) => id === componentId.toLowerCase()))
  const inside = all.filter(({ parent_id }) => parent_id === component.id)
  if (inside.length > 0) {
    const message = `The group has ${inside.length === 1 ? 'a component' : `${inside.length} components`}: move or remove what is in it first.`
    throw new ApiError('in_use', { message, attributes: { components: inside.map(({ id }) => id) } })
  }
  await components.deleteStatusPageComponent(tx, accountId, component.id)
  if (component.owns_service && component.service_id !== null) {
    await deleteOwnServices(tx, accountId, [component.service_id], now)
  }
}

async function readTree(tx: Db, accountId: string, pageId: string): Promise<Row[]> {
  const page = orNotFound(await lockStatusPage(tx, accountId, pageId))
  return components.listStatusPageComponents(tx, accountId, [page.id])
}

/** The service that the component shows, and the name under which it does: null means that of the service. */
async function placeService(
  tx: Db,
  accountId: string,
  input: Input,
): Promise<{ name: string | null; service: services.StatusPageServiceRow | null; isOwn: boolean }> {
  const { type, serviceId } = input
  const name = input.name ?? null
  if (type === 'GROUP') {
    if (serviceId != null) refuse([{ path: ['serviceId'], message: "isn't allowed for a group" }])
    return { name, service: null, isOwn: false }
  }
  if (serviceId == null) {
    const values = { id: randomUUID(), account_id: accountId, name: name ?? '' }
    return { name: null, service: await services.insertStatusPageService(tx, values), isOwn: true }
  }
  await requireServices(tx, accountId, [{ id: serviceId, path: ['serviceId'] }])
  const service = orNotFound(await services.findStatusPageService(tx, accountId, serviceId))
  return { name: name === service.name ? null : name, service, isOwn: false }
}

/** A component and a service of its own have one name. Otherwise the name is that of the component on this page. */
async function rename(
  tx: Db,
  before: Row,
  name: string | undefined,
  now: number,
): Promise<Pick<Row, 'name' | 'service'>> {
  const { service } = before
  if (name === undefined || service === null) return { name: name ?? before.name, service }
  if (!before.owns_service) return { name: name === service.name ? null : name, service }
  if (name === service.name) return { name: null, service }
  const values = { name, updated_at: new Date(now) }
  return {
    name: null,
    service: await services.updateStatusPageService(tx, before.account_id, service.id, values),
  }
}

function fixedFieldIssues({ service_id }: Row, { type, serviceId }: Update): FieldIssue[] {
  const issues: FieldIssue[] = []
  if (type !== undefined && type !== (service_id === null ? 'GROUP' : 'SERVICE')) {
    issues.push({ path: ['type'], message: "can't change: remove the component and add another" })
  }
  if (serviceId !== undefined && (serviceId?.toLowerCase() ?? null) !== service_id) {
    issues.push({ path: ['serviceId'], message: "can't change: remove the component and add another" })
  }
  return issues
}

/** `moved`: null if the component is new. */
function parentIssues(all: readonly Row[], moved: Row | null, parentId: string | null): FieldIssue[] {
  if (parentId === null) return depthIssues(0, all, moved)
  const byId = new Map(all.map((row) => [row.id, row]))
  const parent = byId.get(parentId)
  const issue = (message: string): FieldIssue[] => [{ path: ['parentId'], message }]
  if (parent === undefined || parent.service_id !== null) return issue("isn't a group of this status page")
  const ancestors: Row[] = []
  for (let at: Row | undefined = parent; at !== undefined; at = byId.get(at.parent_id ?? ''))
    ancestors.push(at)
  if (ancestors.some(({ id }) => id === moved?.id))
    return issue("can't be the component itself, nor be in it")
  return depthIssues(ancestors.length, all, moved)
}

function depthIssues(ancestors: number, all: readonly Row[], moved: Row | null): FieldIssue[] {
  if (ancestors + (moved === null ? 1 : heightOf(all, moved)) <= componentLimits.depth) return []
  return [{ path: ['parentId'], message: `is too deep: a page has at most ${componentLimits.depth} levels` }]
}

/** The levels of a component and what is in it. */
function heightOf(all: readonly Row[], { id }: Row): number {
  const inside = all.filter(({ parent_id }) => parent_id === id)
  return 1 + Math.max(0, ...inside.map((row) => heightOf(all, row)))
}

function nextOrder(all: readonly Row[], parentId: string | null): number {
  const siblings = all.filter(({ parent_id }) => parent_id === parentId)
  return Math.max(-1, ...siblings.map(({ display_order }) => display_order)) + 1
}

function refuse(issues: FieldIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues)
}
