// States of episodes whose channels were notified and that have nothing due: they're derived from the last alert instead of
// stored. If ten thousand checks fail at the same time, that saves ten thousand rows.
import type { Client } from '../core/transaction.ts'
import type { AlertStateRow, TriggeringResult } from './alert-states.ts'

interface LastAlert {
  accountId: string
  checkId: string
  id: string
  kind: 'failure' | 'degraded' | 'recovery'
  at: number
}

/** By check id, for checks that do not pass and have no row: the state that their last alert left behind. */
export async function readDerivedAlertStates(
  client: Client,
  checkIds: readonly string[],
): Promise<Map<string, AlertStateRow>> {
  if (checkIds.length === 0) return new Map()
  const { rows } = await client.query<LastAlert>({
    name: 'read_derived_alert_states',
    text: `
      select a.account_id as "accountId", a.check_id as "checkId", a.id, a.kind,
        (extract(epoch from coalesce(a.episode_at, a.scheduled_at)) * 1000)::float8 as at
      from unnest($1::uuid[]) as c (id) cross join lateral (
        select * from (
          select * from check_alerts where check_id = c.id and kind in ('failure', 'degraded', 'recovery')
          order by id desc limit 10) latest
        -- Alerts from before alerting was off don't count: see forgetAlertStates.
        where created_at >= coalesce((select to_timestamp(value::float8 / 1000)
          from instance where key = 'alerts_forgotten_at'), '-infinity')
        -- Clocks of servers differ, so the alert of a later run may have an earlier id.
        order by scheduled_at desc, id desc limit 1) a`,
    values: [checkIds],
  })
  const open = rows.filter(({ kind }) => kind !== 'recovery')
  return new Map(open.map((alert) => [alert.checkId, stateOf(alert)]))
}

function stateOf({ accountId, checkId, id, kind, at }: LastAlert): AlertStateRow {
  const state = kind === 'failure' ? 'failing' : 'degraded'
  return {
    accountId,
    checkId,
    alertId: id,
    lead: unknownResult(at),
    dueAt: null,
    state,
    previousState: 'passing',
    rawState: state,
    runs: 1,
    since: at,
    episodeAt: at,
    decided: kind === 'failure' ? 'failure' : 'degraded',
    isNotified: true,
    remindersSent: 0,
    remindAt: null,
    settleAt: null,
  }
}

/** A placeholder: decisions replace it by a newer result. */
const unknownResult = (at: number): TriggeringResult => ({
  resultId: null,
  location: '',
  responseTimeMs: null,
  statusCode: null,
  error: null,
  scheduledAt: at,
  startedAt: at,
  errorGroupId: null,
})
