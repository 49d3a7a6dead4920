import { columnsOf } from '../core/columns-of.ts'
import type { Client } from '../core/transaction.ts'

export interface ErrorGroupEvent {
  id: string
  accountId: string
  checkId: string
  errorHash: string
  rawErrorMessage: string
  cleanedErrorMessage: string
  seenAt: number
}

const upsertText = `
  insert into error_groups as g (id, account_id, check_id, error_hash, raw_error_message, cleaned_error_message, first_seen, last_seen)
  select id, account_id, check_id, error_hash, raw_error_message, cleaned_error_message,
    to_timestamp(first_seen / 1000.0), to_timestamp(last_seen / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[]) as
    r (id, account_id, check_id, error_hash, raw_error_message, cleaned_error_message, first_seen, last_seen)
  order by check_id, error_hash
  on conflict (check_id, error_hash) do update set last_seen = greatest(g.last_seen, excluded.last_seen),
    first_seen = least(g.first_seen, excluded.first_seen),
    archived_until_next_event = g.archived_until_next_event and excluded.last_seen <= g.last_seen
  returning g.id, g.xmax = 0 as "isNew"`

/**
 * The message stays that of the first event; an event after it was archived brings a group back. Returns the ids of those
 * that were not there: only an updated row has an xmax.
 */
export async function upsertErrorGroups(
  client: Client,
  events: readonly ErrorGroupEvent[],
): Promise<string[]> {
  if (events.length === 0) return []
  const groups = [...Map.groupBy(events, ({ id }) => id).values()].map((all) => {
    const [first, last] = [
      all.reduce((a, b) => (b.seenAt < a.seenAt ? b : a)),
      all.reduce((a, b) => (b.seenAt > a.seenAt ? b : a)),
    ]
    return { ...first, lastSeen: last.seenAt }
  })
  const { plain, text } = columnsOf(groups)
  const values = [
    plain(({ id }) => id),
    plain(({ accountId }) => accountId),
    plain(({ checkId }) => checkId),
    text(({ errorHash }) => errorHash),
    text(({ rawErrorMessage }) => rawErrorMessage),
    text(({ cleanedErrorMessage }) => cleanedErrorMessage),
    plain(({ seenAt }) => seenAt),
    plain(({ lastSeen }) => lastSeen),
  ]
  const { rows } = await client.query<{ id: string; isNew: boolean }>({
    name: 'upsert_error_groups',
    text: upsertText,
    values,
  })
  return rows.filter(({ isNew }) => isNew).map(({ id }) => id)
}
