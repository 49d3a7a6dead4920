// What checks refer to must exist in their own account; rows are locked against deletion until the commit.
import type { CheckValues, FieldIssue } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { listMissingReferences, type References } from './references.ts'

/** One list of issues for each check; a table is read once for all of them. */
export async function listMissingCheckReferences(
  tx: Db,
  accountId: string,
  checks: readonly CheckValues[],
): Promise<FieldIssue[][]> {
  const groups = await knownGroups(tx, accountId, definedOf(checks, groupOf))
  const others = await listMissingReferences(tx, accountId, checks as readonly References[])
  const services = await knownServices(tx, accountId, definedOf(checks, serviceOf))
  const bundles = await knownBundles(tx, accountId, definedOf(checks, bundleOf))
  return checks.map((check, index) => [
    ...missing(groupOf(check), groups, ['groupId'], 'does not exist'),
    ...(others[index] ?? []),
    ...missing(serviceOf(check), services, ['triggerIncident', 'serviceId'], 'does not exist'),
    ...missing(bundleOf(check), bundles, ['codeBundlePath'], missingBundle),
  ])
}

const missingBundle =
  'does not exist: upload the archive with POST /v1/code-bundles and send the path it returns'

function missing<T>(
  reference: T | undefined,
  known: ReadonlySet<T>,
  path: string[],
  message: string,
): FieldIssue[] {
  return reference === undefined || known.has(reference) ? [] : [{ path, message }]
}

function definedOf<T>(checks: readonly CheckValues[], read: (check: CheckValues) => T | undefined): T[] {
  return checks.flatMap((check) => read(check) ?? [])
}

function groupOf({ groupId }: CheckValues): number | undefined {
  return typeof groupId === 'number' ? groupId : undefined
}

function serviceOf({ triggerIncident }: CheckValues): string | undefined {
  return (triggerIncident as { serviceId: string } | null | undefined)?.serviceId.toLowerCase()
}

function bundleOf({ codeBundlePath }: CheckValues): string | undefined {
  return typeof codeBundlePath === 'string' ? codeBundlePath : undefined
}

async function knownGroups(tx: Db, accountId: string, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('check_groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

async function knownServices(tx: Db, accountId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('status_page_services')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** An archive of another account doesn't exist here; a snapshot isn't an archive. */
async function knownBundles(tx: Db, accountId: string, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const rows = await tx
    .selectFrom('code_bundles')
    .select('path')
    .where('account_id', '=', accountId)
    .where('path', '=', sql<string>`any(${paths}::text[])`)
    .where('path', 'like', 'code-bundles/%')
    .orderBy('path')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ path }) => path))
}
