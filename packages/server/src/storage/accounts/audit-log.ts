import type { AuditAction, AuditOutcome } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from '../core/cursor.ts'
import { countAll, type Db, type Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type AuditEntryRow = Selectable<Tables['audit_entries']>

export interface RequestFacts {
  at: number
  source: string
  address: string
  requestId: string
  operation: string
  summary: string
  resourceKind: string
}

export interface NewAuditEntry extends RequestFacts {
  id: string
  accountId: string
  userId: string | null
  keyId: string
  action: AuditAction
  outcome: AuditOutcome
  resourceId: string | null
  resourceName?: string | null
}

export async function insertAuditEntry(pool: Pool, entry: NewAuditEntry): Promise<void> {
  await pool.query({
    name: 'insert-audit-entry',
    text: `
      insert into audit_entries (id, account_id, created_at, user_id, key_id, actor_name, source, address, request_id, operation,
        summary, action, outcome, resource_kind, resource_id, resource_name)
      values ($1, $2, $3, $4, $5,
        coalesce((select coalesce(name, email) from users where id = $4), (select name from api_keys where id = $5)),
        $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    values: [
      entry.id,
      entry.accountId,
      new Date(entry.at),
      entry.userId,
      entry.keyId,
      entry.source,
      entry.address,
      entry.requestId,
      entry.operation,
      entry.summary,
      entry.action,
      entry.outcome,
      entry.resourceKind,
      entry.resourceId,
      entry.resourceName ?? null,
    ],
  })
}

/** In each account of a user; an unknown email leaves none. */
export async function insertUserEntries(
  pool: Pool,
  user: { userId: string } | { email: string },
  entry: RequestFacts & Pick<NewAuditEntry, 'action' | 'outcome'>,
): Promise<void> {
  await pool.query(
    `insert into audit_entries (id, account_id, created_at, user_id, actor_name, source, address, request_id, operation, summary,
       action, outcome, resource_kind)
     select gen_random_uuid(), m.account_id, $3, u.id, coalesce(u.name, u.email), $4, $5, $6, $7, $8, $9, $10, $11
     from users u join memberships m on m.user_id = u.id
     where u.id = $1 or lower(u.email) = lower($2)`,
    [
      'userId' in user ? user.userId : null,
      'email' in user ? user.email : null,
      new Date(entry.at),
      entry.source,
      entry.address,
      entry.requestId,
      entry.operation,
      entry.summary,
      entry.action,
      entry.outcome,
      entry.resourceKind,
    ],
  )
}

export interface AuditEnd {
  outcome: AuditOutcome
  resourceId: string | null
  resourceName: string | null
  changes: unknown[]
}

export async function finishAuditEntry(
  pool: Pool,
  { accountId, id }: Pick<NewAuditEntry, 'accountId' | 'id'>,
  { outcome, resourceId, resourceName, changes }: AuditEnd,
): Promise<void> {
  await pool.query({
    name: 'finish-audit-entry',
    text: `update audit_entries set outcome = $3, resource_id = coalesce($4, resource_id), resource_name = $5, changes = $6
      where account_id = $1 and id = $2`,
    values: [accountId, id, outcome, resourceId, resourceName, JSON.stringify(changes)],
  })
}

/** For a request that changed many checks: an entry for each of them, so that the log of a check has it. */
export async function insertBulkEntries(
  pool: Pool,
  { accountId, id }: Pick<NewAuditEntry, 'accountId' | 'id'>,
  action: AuditAction,
  checks: readonly { id: string; name: string | null }[],
): Promise<void> {
  await pool.query({
    name: 'insert-bulk-entries',
    text: `
      insert into audit_entries (id, account_id, created_at, user_id, key_id, actor_name, source, address, request_id, operation,
        summary, action, outcome, resource_kind, resource_id, resource_name)
      select gen_random_uuid(), account_id, created_at, user_id, key_id, actor_name, source, address, request_id, operation,
        coalesce(resource_name, summary), $3, 'done', 'Checks', c.id, c.name
      from audit_entries cross join unnest($4::text[], $5::text[]) as c (id, name)
      where account_id = $1 and audit_entries.id = $2`,
    values: [accountId, id, action, checks.map((check) => check.id), checks.map(({ name }) => name)],
  })
}

/** For requests that changed nothing. */
export async function deleteAuditEntry(
  pool: Pool,
  { accountId, id }: Pick<NewAuditEntry, 'accountId' | 'id'>,
): Promise<void> {
  await pool.query({
    name: 'delete-audit-entry',
    text: 'delete from audit_entries where account_id = $1 and id = $2',
    values: [accountId, id],
  })
}

export interface AuditFilter {
  from?: number | undefined
  to?: number | undefined
  resourceId?: string | undefined
  actorId?: string | undefined
  action?: AuditAction | undefined
  kind?: string | undefined
  outcome?: AuditOutcome | undefined
}

export async function listAuditEntries(
  db: Db,
  accountId: string,
  filter: AuditFilter,
  page: CursorRequest,
): Promise<CursorPage<AuditEntryRow>> {
  const { from, to, resourceId, actorId, action, kind, outcome } = filter
  let all = db.selectFrom('audit_entries').where('account_id', '=', accountId)
  if (from !== undefined) all = all.where('created_at', '>=', sql<string>`${new Date(from)}`)
  if (to !== undefined) all = all.where('created_at', '<', sql<string>`${new Date(to)}`)
  if (resourceId !== undefined) all = all.where('resource_id', '=', resourceId)
  if (kind !== undefined) all = all.where('resource_kind', '=', kind)
  if (outcome !== undefined) all = all.where('outcome', '=', outcome)
  if (action !== undefined) all = all.where('action', '=', action)
  if (actorId !== undefined)
    all = all.where((where) => where.or([where('user_id', '=', actorId), where('key_id', '=', actorId)]))
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}
