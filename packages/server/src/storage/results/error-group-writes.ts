import { columnKinds, insertMany } from '../core/insert-many.ts'
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

const group = columnKinds<ErrorGroupEvent & { lastSeen: number }>()

const upsertGroups = insertMany(
  'upsert_error_groups',
  'error_groups',
  {
    id: group.uuid((row) => row.id),
    account_id: group.uuid((row) => row.accountId),
    check_id: group.uuid((row) => row.checkId),
    error_hash: group.text((row) => row.errorHash),
    raw_error_message: group.text((row) => row.rawErrorMessage),
    cleaned_error_message: group.text((row) => row.cleanedErrorMessage),
    first_seen: group.instant((row) => row.seenAt),
    last_seen: group.instant((row) => row.lastSeen),
  },
  {
    as: 'g',
    source: 'order by r.check_id, r.error_hash',
    onConflict: `(check_id, error_hash) do update set last_seen = greatest(g.last_seen, excluded.last_seen),
      first_seen = least(g.first_seen, excluded.first_seen),
      archived_until_next_event = g.archived_until_next_event and excluded.last_seen <= g.last_seen`,
    returning: 'g.id, g.xmax = 0 as "isNew"',
  },
)

/**
 * Keeps the message of the first event; a new event restores an archived group. Returns the ids of new groups: only an
 * updated row has an xmax.
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
  const rows = await upsertGroups<{ id: string; isNew: boolean }>(client, groups)
  return rows.filter(({ isNew }) => isNew).map(({ id }) => id)
}
