// What checks or groups refer to must exist in their own account. Rows are locked against deletion, so that they still
// exist when the caller's transaction commits.
import type { FieldIssue } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

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
  const locations = await knownPrivateLocations(
    tx,
    accountId,
    all.flatMap(({ privateLocations }) => privateLocations ?? []),
  )
  const snippets = await knownSnippets(
    tx,
    accountId,
    all.flatMap((references) => snippetsOf(references).map(({ id }) => id)),
  )
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

async function knownPrivateLocations(tx: Db, accountId: string, slugs: string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set()
  const rows = await tx
    .selectFrom('private_locations')
    .select('slug_name')
    .where('account_id', '=', accountId)
    .where('slug_name', '=', sql<string>`any(${slugs}::text[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.slug_name))
}

async function knownSnippets(tx: Db, accountId: string, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('snippets')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.id))
}
