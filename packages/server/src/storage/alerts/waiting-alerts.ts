// Alerts that were decided and of which no channel has been notified yet.
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
 * Locked: whoever claims them makes their notifications and finishes them in the same transaction. Of a check the earliest
 * comes first, and a later one only when it is committed: who hears of a recovery follows from who was told before. Earlier
 * is what an earlier run brought: clocks of several servers, or a wait for a lock, may have it written down later.
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
        -- Not as an anti-join, which would look at all that wait before it takes the first few: 50 ms of 10,000. And not
        -- "is not null", for which the planner would take the index of all that wait instead of the check's few: 26 ms.
        select true from check_alerts e where e.check_id = a.check_id and num_nulls(e.notify_at) = 0
          and (e.scheduled_at, e.id) < (a.scheduled_at, a.id) limit 1) is null
      order by notify_at limit $2 for update skip locked`,
    values: [now, limit],
  })
  return rows
}

/** Their notifications are made; `facts` is null where there is nothing to tell. */
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
