// Which resources of the account belong to projects, and as what.
import type { PhysicalId, ResourceType } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { columnKinds, currentTime, insertMany } from '../core/insert-many.ts'
import type { Tables } from '../core/tables.generated.ts'
import { clientOf } from '../core/transaction.ts'

export type ProjectResourceRow = Selectable<Tables['project_resources']>

export function listProjectResources(
  db: Db,
  accountId: string,
  projectId: string,
): Promise<ProjectResourceRow[]> {
  return db
    .selectFrom('project_resources')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .orderBy('type')
    .orderBy('logical_id')
    .execute()
}

export interface Binding {
  accountId: string
  projectId: string
  type: ResourceType
  logicalId: string
  physicalId: PhysicalId
  payloadHash: string | null
  version: string | null
  sourceFile: string | null
  importPlanId: string | null
}

const column = columnKinds<Binding>()

const upsert = insertMany(
  'bind_resources',
  'project_resources',
  {
    account_id: column.uuid((row) => row.accountId),
    project_id: column.uuid((row) => row.projectId),
    type: column.text((row) => row.type),
    logical_id: column.text((row) => row.logicalId),
    physical_id: column.text((row) => String(row.physicalId)),
    payload_hash: column.text((row) => row.payloadHash),
    version: column.text((row) => row.version),
    source_file: column.text((row) => row.sourceFile),
    import_plan_id: column.uuid((row) => row.importPlanId),
    deployed_at: currentTime,
  },
  {
    onConflict: `(project_id, type, logical_id) do update set physical_id = excluded.physical_id,
      payload_hash = excluded.payload_hash, version = excluded.version, source_file = excluded.source_file,
      import_plan_id = excluded.import_plan_id, deployed_at = excluded.deployed_at`,
  },
)

/** The time of deployment is `now`. */
export async function bindResources(tx: Db, bindings: readonly Binding[], now: number): Promise<void> {
  await upsert(clientOf(tx), bindings, now)
}

export async function unbindResources(
  tx: Db,
  accountId: string,
  projectId: string,
  resources: readonly { type: string; logicalId: string }[],
): Promise<void> {
  if (resources.length === 0) return
  await sql`
    delete from project_resources r using unnest(
      ${resources.map(({ type }) => type)}::text[], ${resources.map(({ logicalId }) => logicalId)}::text[]
    ) as gone (type, logical_id)
    where r.account_id = ${accountId} and r.project_id = ${projectId}
      and r.type = gone.type and r.logical_id = gone.logical_id`.execute(tx)
}

export interface Owner {
  physical_id: string
  logical_id: string
  version: string | null
  is_pending: boolean
  project_id: string
  project_logical_id: string
  project_name: string
}

/** The projects that resources of one type belong to. */
export async function listOwners(
  db: Db,
  accountId: string,
  type: ResourceType,
  physicalIds: readonly PhysicalId[],
): Promise<Owner[]> {
  if (physicalIds.length === 0) return []
  const { rows } = await sql<Owner>`
    select r.physical_id, r.logical_id, r.version, r.import_plan_id is not null as is_pending,
      p.id as project_id, p.logical_id as project_logical_id, p.name as project_name
    from project_resources r join projects p on p.account_id = r.account_id and p.id = r.project_id
    where r.account_id = ${accountId} and r.type = ${type}
      and r.physical_id = any(${physicalIds.map(String)}::text[])`.execute(db)
  return rows
}
