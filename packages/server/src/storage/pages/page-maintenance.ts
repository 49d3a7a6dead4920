// The maintenance windows that status pages show.
import { isActive, type MaintenanceVisibility, type RepeatingPeriod } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface PageMaintenance extends RepeatingPeriod {
  id: number
  name: string
  description: string | null
  visibility: MaintenanceVisibility
  createdAt: string
  changedAt: string
}

/** Bounds the work for a page; windows beyond are those that started first. */
const maxWindows = 100

export async function listPageMaintenance(
  db: Db,
  accountId: string,
  pageId: string,
): Promise<PageMaintenance[]> {
  const { rows } = await sql<PageMaintenance>`
    select w.id, w.name, w.description, w.status_page_visibility as visibility,
      w.starts_at as "startsAt", w.ends_at as "endsAt", w.repeat_interval as "repeatInterval",
      w.repeat_unit as "repeatUnit", w.repeat_ends_at as "repeatEndsAt", w.timezone,
      w.created_at as "createdAt", coalesce(w.updated_at, w.created_at) as "changedAt"
    from maintenance_windows w
    where w.account_id = ${accountId} and w.status_page_visibility @> '{"enabled": true}'
      and w.status_page_visibility -> 'statusPageIds' ? ${pageId}
    order by w.starts_at desc, w.id
    limit ${maxWindows}`.execute(db)
  return rows
}

export interface ServiceKey {
  accountId: string
  serviceId: string
}

/** The ids among `services` for which failing checks open no incidents at that instant. */
export async function listSuppressedServices(
  client: Client,
  services: readonly ServiceKey[],
  at: number,
): Promise<Set<string>> {
  const { rows } = await client.query<RepeatingPeriod & { serviceId: string }>({
    name: 'suppressed-services',
    text: `
      select asked.service_id as "serviceId", w.starts_at as "startsAt", w.ends_at as "endsAt",
        w.repeat_interval as "repeatInterval", w.repeat_unit as "repeatUnit", w.repeat_ends_at as "repeatEndsAt",
        w.timezone
      from unnest($1::uuid[], $2::uuid[]) as asked (account_id, service_id)
      join maintenance_windows w on w.account_id = asked.account_id and w.starts_at <= $3
        and w.status_page_visibility @> '{"enabled": true, "suppressAutoIncidents": true}'
      where case when w.status_page_visibility @> '{"affectAllServices": true}' then exists (
          select from status_page_components component
          where component.account_id = asked.account_id and component.service_id = asked.service_id
            and w.status_page_visibility -> 'statusPageIds' ? component.status_page_id::text)
        else w.status_page_visibility -> 'serviceIds' ? asked.service_id::text end`,
    values: [
      services.map(({ accountId }) => accountId),
      services.map(({ serviceId }) => serviceId),
      new Date(at),
    ],
  })
  return new Set(rows.filter((window) => isActive(window, at)).map(({ serviceId }) => serviceId))
}
