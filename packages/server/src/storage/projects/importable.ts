// All resources of an account that a project can take over, as their tables have them.
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

export async function readImportable(db: Db, accountId: string) {
  return {
    checks: await db
      .selectFrom('checks')
      .selectAll()
      .where('account_id', '=', accountId)
      // Clients can't write suites as code.
      .where('check_type', '!=', 'PLAYWRIGHT')
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    groups: await db
      .selectFrom('check_groups')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
    channels: await db
      .selectFrom('alert_channels')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
    windows: await db
      .selectFrom('maintenance_windows')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
    dashboards: await db
      .selectFrom('dashboards')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
    subscriptions: await db
      .selectFrom('alert_channel_subscriptions')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
    locations: await db
      .selectFrom('private_locations')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .execute(),
    services: await db
      .selectFrom('status_page_services as s')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      // Services of components come with them.
      .where(
        sql<boolean>`not exists (select from status_page_components c where c.service_id = s.id and c.owns_service)`,
      )
      .orderBy('created_at')
      .execute(),
    pages: await db
      .selectFrom('status_pages')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .execute(),
  }
}

export type Importable = Awaited<ReturnType<typeof readImportable>>

/** Files that scripts can name. */
export async function readImportableSnippets(
  db: Db,
  accountId: string,
): Promise<{ id: number; name: string; script: string }[]> {
  return db
    .selectFrom('snippets')
    .select(['id', 'name', 'script'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
}

/** The resources that belong to projects: type and id, as texts. */
export async function listBound(db: Db, accountId: string): Promise<{ type: string; physical_id: string }[]> {
  return db
    .selectFrom('project_resources')
    .select(['type', 'physical_id'])
    .where('account_id', '=', accountId)
    .execute()
}
