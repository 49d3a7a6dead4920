// Keeps timers consistent with their checks: called in the transaction that creates or changes a check or its group.
import { heartbeatTimes } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

type Chosen = { checkIds: readonly string[] } | { groupId: number }

/** Accepts checks of any type; only heartbeat monitors have a timer. Deactivating a group deactivates its checks. */
export async function planHeartbeats(tx: Db, accountId: string, chosen: Chosen): Promise<void> {
  const checks = await readChecks(tx, accountId, chosen)
  const [active, inactive] = [
    checks.filter(({ isActive }) => isActive),
    checks.filter(({ isActive }) => !isActive),
  ]
  if (inactive.length > 0) {
    await tx
      .deleteFrom('heartbeats')
      .where('account_id', '=', accountId)
      .where('check_id', '=', sql<string>`any(${inactive.map(({ id }) => id)}::uuid[])`)
      .execute()
  }
  if (active.length > 0) await updateTimes(tx, accountId, active)
}

interface PlannedCheck {
  id: string
  isActive: boolean
  heartbeat: Parameters<typeof heartbeatTimes>[0]
  changedAt: string
}

async function readChecks(tx: Db, accountId: string, chosen: Chosen): Promise<PlannedCheck[]> {
  const choice =
    'checkIds' in chosen ? sql`c.id = any(${chosen.checkIds}::uuid[])` : sql`c.group_id = ${chosen.groupId}`
  const { rows } = await sql<PlannedCheck>`
    select c.id, c.activated and coalesce(g.activated, true) as "isActive", c.settings -> 'heartbeat' as heartbeat,
      coalesce(c.updated_at, c.created_at) as "changedAt"
    from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    where c.account_id = ${accountId} and c.check_type = 'HEARTBEAT' and ${choice}
    order by c.id`.execute(tx)
  return rows
}

/** choice: a changed period or grace time restarts a running timer, so that a change alone never fails a monitor. */
async function updateTimes(tx: Db, accountId: string, checks: PlannedCheck[]): Promise<void> {
  const times = checks.map(({ heartbeat }) => heartbeatTimes(heartbeat))
  const planned = sql`unnest(${checks.map(({ id }) => id)}::uuid[], ${times.map(({ periodMs }) => periodMs)}::bigint[],
    ${times.map(({ graceMs }) => graceMs)}::bigint[], ${checks.map(({ changedAt }) => changedAt)}::timestamptz[])
    as p (check_id, period_ms, grace_ms, changed_at)`
  await sql`
    update heartbeats h set period_ms = p.period_ms, grace_ms = p.grace_ms,
      due_at = case when h.due_at is not null then p.changed_at + p.period_ms * interval '1 millisecond' end,
      deadline_at = case when h.due_at is not null
        then p.changed_at + (p.period_ms + p.grace_ms) * interval '1 millisecond' end
    from ${planned}
    where h.account_id = ${accountId} and h.check_id = p.check_id
      and (h.period_ms, h.grace_ms) is distinct from (p.period_ms, p.grace_ms)`.execute(tx)
  await sql`
    insert into heartbeats (account_id, check_id, period_ms, grace_ms)
    select ${accountId}, check_id, period_ms, grace_ms from ${planned}
    on conflict do nothing`.execute(tx)
}
