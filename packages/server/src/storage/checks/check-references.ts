import { type CheckValues, type FieldIssue, isRecord } from '@vedette/contracts'
import type { Db } from '../core/db.ts'
import { listMissingReferences, lockReferences, type References } from './references.ts'

/** One list of issues for each check; each table is read once. */
export async function listMissingCheckReferences(
  tx: Db,
  accountId: string,
  checks: readonly CheckValues[],
): Promise<FieldIssue[][]> {
  const groups = await lockReferences(tx, accountId, 'check_groups', definedOf(checks, groupOf))
  const others = await listMissingReferences(tx, accountId, checks.map(sharedReferencesOf))
  const services = await lockReferences(tx, accountId, 'status_page_services', definedOf(checks, serviceOf))
  const bundles = await lockReferences(tx, accountId, 'code_bundles', definedOf(checks, bundleOf))
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

function sharedReferencesOf({
  privateLocations,
  setupSnippetId,
  tearDownSnippetId,
}: CheckValues): References {
  return {
    privateLocations: Array.isArray(privateLocations) ? privateLocations : null,
    setupSnippetId: typeof setupSnippetId === 'number' ? setupSnippetId : null,
    tearDownSnippetId: typeof tearDownSnippetId === 'number' ? tearDownSnippetId : null,
  }
}

function groupOf({ groupId }: CheckValues): number | undefined {
  return typeof groupId === 'number' ? groupId : undefined
}

function serviceOf({ triggerIncident }: CheckValues): string | undefined {
  const serviceId = isRecord(triggerIncident) ? triggerIncident.serviceId : undefined
  return typeof serviceId === 'string' ? serviceId.toLowerCase() : undefined
}

function bundleOf({ codeBundlePath }: CheckValues): string | undefined {
  return typeof codeBundlePath === 'string' ? codeBundlePath : undefined
}
