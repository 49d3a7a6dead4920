// Alerts whose channels haven't been notified yet.
import { arrayText } from '../core/array-text.ts'
import type { Client } from '../core/transaction.ts'
import type { AlertFacts } from './alert-writes.ts'

export interface WaitingAlert {
  id: string
  accountId: string
  checkId: string
  checkType: string
  kind: 'failure' | 'degraded' | 'recovery'
  resultId: string | null
  episodeAt: number | null
}

/**
 * Locked: the caller inserts their notifications and finishes them in the same transaction. A later alert of a check waits
 * until the earlier one is committed: the recipients of a recovery depend on those of the failure. Alerts are ordered by
 * their run, since clocks of several servers differ and a wait for a lock may delay the insert.
 */
export async function claimWaitingAlerts(
  client: Client,
  { now, limit }: { now: number; limit: number },
): Promise<WaitingAlert[]> {
  const { rows } = await client.query<WaitingAlert>({
    name: 'claim_waiting_alerts',
    text: `
      select a.id, a.account_id as "accountId", a.check_id as "checkId", a.check_type as "checkType", a.kind,
        a.result_id as "resultId", (extract(epoch from a.episode_at) * 1000)::float8 as "episodeAt"
      from check_alerts a
      where notify_at <= to_timestamp($1 / 1000.0) and (
        -- Not an anti-join, which would read all waiting rows before the first few: 50 ms for 10,000. And not
        -- "is not null", for which the planner uses the index of all waiting rows instead of those of the check: 26 ms.
        select true from check_alerts e where e.check_id = a.check_id and num_nulls(e.notify_at) = 0
          and (e.scheduled_at, e.id) < (a.scheduled_at, a.id) limit 1) is null
      order by notify_at limit $2 for update skip locked`,
    values: [now, limit],
  })
  return rows
}

/** Call it after inserting their notifications; `facts` is null if there were none. */
export async function finishWaitingAlerts(
  client: Client,
  alerts: readonly { checkId: string; id: string; facts: AlertFacts | null }[],
): Promise<void> {
  await client.query({
    name: 'finish_waiting_alerts',
    text: `
      update check_alerts a set notify_at = null, facts = r.facts::jsonb
      from unnest($1::uuid[], $2::uuid[], $3::text[]) as r (check_id, id, facts)
      where a.check_id = r.check_id and a.id = r.id`,
    values: [
      arrayText(alerts.map(({ checkId }) => checkId)),
      arrayText(alerts.map(({ id }) => id)),
      alerts.map(({ facts }) => facts && JSON.stringify(facts)),
    ],
  })
}
