// What a check or group points at must exist in its own account. Rows are locked against deletion, so that they
// still exist when the caller's transaction commits.
import type { FieldIssue } from '@vedette/contracts'
import type { Db } from '../core/db.ts'

export interface References {
  privateLocations?: string[] | null | undefined
  setupSnippetId?: number | null | undefined
  tearDownSnippetId?: number | null | undefined
}

export async function listMissingReferences(
  tx: Db,
  accountId: string,
  references: References,
): Promise<FieldIssue[]> {
  return [
    ...(await missingPrivateLocations(tx, accountId, references.privateLocations ?? [])),
    ...(await missingSnippets(tx, accountId, references)),
  ]
}

async function missingPrivateLocations(tx: Db, accountId: string, slugs: string[]): Promise<FieldIssue[]> {
  if (slugs.length === 0) return []
  const rows = await tx
    .selectFrom('private_locations')
    .select('slug_name')
    .where('account_id', '=', accountId)
    .where('slug_name', 'in', slugs)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const known = new Set(rows.map((row) => row.slug_name))
  return slugs.flatMap((slug, index) =>
    known.has(slug) ? [] : [{ path: ['privateLocations', index], message: 'does not exist' }],
  )
}

async function missingSnippets(tx: Db, accountId: string, references: References): Promise<FieldIssue[]> {
  const wanted = (['setupSnippetId', 'tearDownSnippetId'] as const).flatMap((field) => {
    const id = references[field]
    return id === null || id === undefined ? [] : [{ field, id }]
  })
  if (wanted.length === 0) return []
  const rows = await tx
    .selectFrom('snippets')
    .select('id')
    .where('account_id', '=', accountId)
    .where(
      'id',
      'in',
      wanted.map(({ id }) => id),
    )
    .orderBy('id')
    .forKeyShare()
    .execute()
  const known = new Set(rows.map((row) => row.id))
  return wanted.flatMap(({ field, id }) =>
    known.has(id) ? [] : [{ path: [field], message: 'does not exist' }],
  )
}
