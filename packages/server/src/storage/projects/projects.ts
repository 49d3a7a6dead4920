import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type ProjectRow = Selectable<Tables['projects']>

export interface ProjectValues {
  logicalId: string
  name: string
  repoUrl?: string | null | undefined
}

export async function findProject(db: Db, accountId: string, logicalId: string): Promise<ProjectRow | null> {
  const row = await ofAccount(db, accountId).where('logical_id', '=', logicalId).executeTakeFirst()
  return row ?? null
}

/** Locked until the transaction ends: deployments and imports of one project follow each other. */
export async function lockProject(tx: Db, accountId: string, logicalId: string): Promise<ProjectRow | null> {
  const row = await ofAccount(tx, accountId)
    .where('logical_id', '=', logicalId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function findProjectsById(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, ProjectRow>> {
  if (ids.length === 0) return new Map()
  const rows = await ofAccount(db, accountId).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export type CountedProject = ProjectRow & { resource_count: number }

export async function listProjects(db: Db, accountId: string, logicalId?: string): Promise<CountedProject[]> {
  return ofAccount(db, accountId)
    .select(
      sql<number>`(select count(*)::integer from project_resources r where r.project_id = projects.id)`.as(
        'resource_count',
      ),
    )
    .$if(logicalId !== undefined, (rows) => rows.where('logical_id', '=', logicalId ?? ''))
    .orderBy('logical_id')
    .execute()
}

const ofAccount = (db: Db, accountId: string) =>
  db.selectFrom('projects').selectAll('projects').where('account_id', '=', accountId)

/** Fails if the account has the logical id already: see the constraint projects_logical_id. */
export async function insertProject(
  db: Db,
  accountId: string,
  { logicalId, name, repoUrl = null }: ProjectValues,
): Promise<ProjectRow> {
  return db
    .insertInto('projects')
    .values({ id: randomUUID(), account_id: accountId, logical_id: logicalId, name, repo_url: repoUrl })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateProject(
  db: Db,
  accountId: string,
  id: string,
  { name, repoUrl = null }: ProjectValues,
  now: number,
): Promise<void> {
  await db
    .updateTable('projects')
    .set({ name, repo_url: repoUrl, updated_at: new Date(now) })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** With its bindings and import plans. The resources stay. */
export async function deleteProject(db: Db, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('projects').where('account_id', '=', accountId).where('id', '=', id).execute()
}
