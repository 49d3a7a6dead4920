// References of checks, groups and channels must exist in their account. The rows are locked against deletion, so that they
// still exist when the transaction commits.
import type { FieldIssue } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

const lookups = {
  alert_channels: { column: 'id', type: 'integer', order: 'id', condition: 'true' },
  check_groups: { column: 'id', type: 'integer', order: 'id', condition: 'true' },
  checks: { column: 'id', type: 'uuid', order: 'id', condition: 'true' },
  // Uploaded snapshots are in the same table.
  code_bundles: { column: 'path', type: 'text', order: 'path', condition: "path like 'code-bundles/%'" },
  private_locations: { column: 'slug_name', type: 'text', order: 'id', condition: 'true' },
  snippets: { column: 'id', type: 'integer', order: 'id', condition: 'true' },
  status_page_services: { column: 'id', type: 'uuid', order: 'id', condition: 'deleted_at is null' },
} as const

/** Those of the values that exist in the account; their rows are locked. */
export async function lockReferences<V extends string | number>(
  tx: Db,
  accountId: string,
  table: keyof typeof lookups,
  values: readonly V[],
): Promise<Set<V>> {
  if (values.length === 0) return new Set()
  const { column, type, order, condition } = lookups[table]
  const { rows } = await sql<{ value: V }>`
    select ${sql.ref(column)} as value from ${sql.table(table)}
    where account_id = ${accountId} and ${sql.ref(column)} = any(${values}::${sql.raw(type)}[]) and ${sql.raw(condition)}
    order by ${sql.ref(order)} for key share`.execute(tx)
  return new Set(rows.map(({ value }) => value))
}

export interface References {
  privateLocations?: string[] | null | undefined
  setupSnippetId?: number | null | undefined
  tearDownSnippetId?: number | null | undefined
}

/** One list of issues for each of them. */
export async function listMissingReferences(
  tx: Db,
  accountId: string,
  all: readonly References[],
): Promise<FieldIssue[][]> {
  const slugs = all.flatMap(({ privateLocations }) => privateLocations ?? [])
  const snippetIds = all.flatMap((references) => snippetsOf(references).map(({ id }) => id))
  const locations = await lockReferences(tx, accountId, 'private_locations', slugs)
  const snippets = await lockReferences(tx, accountId, 'snippets', snippetIds)
  return all.map((references) => [
    ...(references.privateLocations ?? []).flatMap((slug, index) =>
      locations.has(slug) ? [] : [{ path: ['privateLocations', index], message: 'does not exist' }],
    ),
    ...snippetsOf(references).flatMap(({ field, id }) =>
      snippets.has(id) ? [] : [{ path: [field], message: 'does not exist' }],
    ),
  ])
}

function snippetsOf(references: References) {
  return (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = references[field]
    return id === null || id === undefined ? [] : [{ field, id }]
  })
}
