// Notices about maintenance to subscribers of status pages: what is due, and what was written to the outbox.
import type { MaintenanceVisibility, RepeatingPeriod } from '@vedette/contracts'
import type { MaintenanceNoticeFacts } from '../alerts/mails.ts'
import type { Client } from '../core/transaction.ts'

export interface NoticeWindow extends RepeatingPeriod {
  id: number
  accountId: string
  name: string
  description: string | null
  visibility: MaintenanceVisibility
}

type NoticeKind = 'before' | 'start' | 'end'

/** Of one occurrence. */
export interface Notice {
  /** When the occurrence starts. */
  start: number
  kind: NoticeKind
  /** 0 unless the kind is `before`. */
  minutesBefore: number
}

/** Locked until the transaction ends: one server at a time handles a window, and its owner can't change it meanwhile. */
export async function claimNoticeWindows(
  client: Client,
  now: number,
  limit: number,
): Promise<NoticeWindow[]> {
  const { rows } = await client.query<NoticeWindow & Record<string, unknown>>({
    name: 'claim-notice-windows',
    text: `
      select id, account_id as "accountId", name, description, status_page_visibility as visibility,
        starts_at as "startsAt", ends_at as "endsAt", repeat_interval as "repeatInterval",
        repeat_unit as "repeatUnit", repeat_ends_at as "repeatEndsAt", timezone
      from maintenance_windows
      where notices_due_at <= $1
      order by notices_due_at
      limit $2
      for update skip locked`,
    values: [new Date(now), limit],
  })
  return rows
}

export async function listNotices(
  client: Client,
  { accountId, id }: Pick<NoticeWindow, 'accountId' | 'id'>,
): Promise<Notice[]> {
  const { rows } = await client.query<{ startsAt: string; kind: NoticeKind; minutesBefore: number }>(
    `select starts_at as "startsAt", kind, minutes_before as "minutesBefore"
     from maintenance_notices where account_id = $1 and window_id = $2`,
    [accountId, id],
  )
  return rows.map(({ startsAt, ...notice }) => ({ ...notice, start: Date.parse(startsAt) }))
}

export async function insertNotice(
  client: Client,
  { accountId, id }: NoticeWindow,
  { start, kind, minutesBefore }: Notice,
  now: number,
): Promise<void> {
  await client.query(
    `insert into maintenance_notices (account_id, window_id, starts_at, kind, minutes_before, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [accountId, id, new Date(start), kind, minutesBefore, new Date(now)],
  )
}

/** Notices of occurrences that started before `forgetBefore` are no longer needed. */
export async function scheduleNotices(
  client: Client,
  { accountId, id }: NoticeWindow,
  { dueAt, forgetBefore }: { dueAt: number; forgetBefore: number },
): Promise<void> {
  await client.query(
    'delete from maintenance_notices where account_id = $1 and window_id = $2 and starts_at < $3',
    [accountId, id, new Date(forgetBefore)],
  )
  await client.query('update maintenance_windows set notices_due_at = $3 where account_id = $1 and id = $2', [
    accountId,
    id,
    new Date(dueAt),
  ])
}

/** To the subscribers of each page that shows one of the services. */
export async function insertNoticeMails(
  client: Client,
  { accountId, visibility }: NoticeWindow,
  facts: Omit<MaintenanceNoticeFacts, 'subscriptionId' | 'page' | 'slug' | 'services'>,
  now: number,
): Promise<void> {
  // The lock: a subscriber who leaves at this moment must not fail the transaction.
  await client.query(
    `insert into mails (id, account_id, kind, recipient, facts, subscription_id, status, due_at, created_at)
     select gen_random_uuid(), reader.account_id, 'maintenance_notice', reader.address,
       $6::jsonb || jsonb_build_object(
         'subscriptionId', reader.id, 'page', page.name, 'slug', page.url,
         'services', case when $5 then shown.services else '[]' end),
       reader.id, 'IN_PROGRESS', $7, $7
     from status_pages page
     cross join lateral (
       select jsonb_agg(distinct service.name order by service.name) as services, array_agg(service.service_id) as ids
       from status_page_shown_services service
       where service.account_id = $1 and service.status_page_id = page.id
         and ($3 or service.service_id = any($4::uuid[]))
     ) shown
     join status_page_subscriptions reader
       on reader.account_id = $1 and reader.status_page_id = page.id
       and reader.type = 'EMAIL' and reader.status = 'VERIFIED'
       and (reader.service_ids is null or reader.service_ids && shown.ids)
     where page.account_id = $1 and page.id = any($2::uuid[]) and shown.services is not null
     order by reader.id
     for key share of reader`,
    [
      accountId,
      visibility.statusPageIds,
      visibility.affectAllServices,
      visibility.serviceIds,
      visibility.showAffectedServices,
      JSON.stringify(facts),
      new Date(now),
    ],
  )
}
