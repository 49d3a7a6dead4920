// When resources of any type were changed last.
import { type PhysicalId, type ResourceType, resourceTypes } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

interface Source {
  table: string
  idType: 'uuid' | 'integer'
  version: string
  condition?: string
}

/** PostgreSQL prints an instant the same way each time, to the microsecond. */
const changedAt = 'extract(epoch from coalesce(updated_at, created_at))::text'

/** Assignments of private locations have no rows: the check or the group lists its locations. */
const sources: Readonly<Partial<Record<ResourceType, Source>>> = {
  'status-page-service': {
    table: 'status_page_services',
    idType: 'uuid',
    version: changedAt,
    condition: 'deleted_at is null',
  },
  'status-page': { table: 'status_pages', idType: 'uuid', version: changedAt },
  'status-page-component': { table: 'status_page_components', idType: 'uuid', version: changedAt },
  'status-page-automation-rule': {
    table: 'status_page_automation_rules',
    idType: 'uuid',
    version: changedAt,
  },
  'check-group': { table: 'check_groups', idType: 'integer', version: changedAt },
  check: { table: 'checks', idType: 'uuid', version: changedAt },
  'alert-channel': { table: 'alert_channels', idType: 'integer', version: changedAt },
  'alert-channel-subscription': {
    table: 'alert_channel_subscriptions',
    idType: 'integer',
    version: "concat_ws(' ', alert_channel_id, check_id, group_id, activated)",
  },
  'maintenance-window': { table: 'maintenance_windows', idType: 'integer', version: changedAt },
  'private-location': { table: 'private_locations', idType: 'uuid', version: changedAt },
  dashboard: { table: 'dashboards', idType: 'integer', version: changedAt },
}

export interface ResourceId {
  type: ResourceType
  physicalId: PhysicalId
}

export const resourceKey = ({ type, physicalId }: ResourceId): string => `${type} ${physicalId}`

/** By `resourceKey`. Resources that the account doesn't have are absent. */
export async function readVersions(
  db: Db,
  accountId: string,
  resources: readonly ResourceId[],
): Promise<Map<string, string>> {
  const versions = new Map<string, string>()
  const byType = Map.groupBy(resources, ({ type }) => type)
  for (const type of resourceTypes) {
    const source = sources[type]
    const ids = byType.get(type)?.map(({ physicalId }) => String(physicalId)) ?? []
    if (source === undefined || ids.length === 0) continue
    const { table, idType, version, condition = 'true' } = source
    const { rows } = await sql<{ id: string; version: string }>`
      select id::text as id, ${sql.raw(version)} as version from ${sql.table(table)}
      where account_id = ${accountId} and id = any(${ids}::${sql.raw(idType)}[]) and ${sql.raw(condition)}
      `.execute(db)
    for (const row of rows) versions.set(resourceKey({ type, physicalId: row.id }), row.version)
  }
  return versions
}
