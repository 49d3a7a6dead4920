import type { Client } from '../core/transaction.ts'

export interface EndedMute {
  accountId: string
  checkId: string
  mutedUntil: number
}

/** Clears mutes whose time is over, of checks that no other process has locked. */
export async function claimEndedMutes(
  client: Client,
  { now, limit }: { now: number; limit: number },
): Promise<EndedMute[]> {
  const { rows } = await client.query<EndedMute & Record<string, unknown>>({
    name: 'claim_ended_mutes',
    text: `with ended as (
        select id, muted_until from checks where muted_until <= to_timestamp($1 / 1000.0)
        order by muted_until limit $2 for no key update skip locked)
      update checks c set muted_until = null from ended where c.id = ended.id
      returning c.account_id as "accountId", c.id as "checkId",
        (extract(epoch from ended.muted_until) * 1000)::float8 as "mutedUntil"`,
    values: [now, limit],
  })
  return rows
}

/**
 * Clears mutes of groups whose time is over. Returns how many, and the checks of these groups that don't pass: others
 * have nothing to report.
 */
export async function claimEndedGroupMutes(
  client: Client,
  { now, limit }: { now: number; limit: number },
): Promise<{ count: number; checks: EndedMute[] }> {
  const groups = await client.query<{ id: number; mutedUntil: number }>({
    name: 'claim_ended_group_mutes',
    text: `with ended as (
        select id, muted_until from check_groups where muted_until <= to_timestamp($1 / 1000.0)
        order by muted_until limit $2 for no key update skip locked)
      update check_groups g set muted_until = null from ended where g.id = ended.id
      returning g.id, (extract(epoch from ended.muted_until) * 1000)::float8 as "mutedUntil"`,
    values: [now, limit],
  })
  const checks = await client.query<EndedMute & Record<string, unknown>>({
    name: 'list_failing_of_ended_group_mutes',
    text: `select c.account_id as "accountId", c.id as "checkId", ended.muted_until as "mutedUntil"
      from unnest($1::int[], $2::float8[]) as ended (id, muted_until)
      join check_groups g on g.id = ended.id
      join checks c on c.account_id = g.account_id and c.group_id = g.id
      join check_statuses s on s.check_id = c.id
      where s.has_failures or s.is_degraded`,
    values: [groups.rows.map(({ id }) => id), groups.rows.map(({ mutedUntil }) => mutedUntil)],
  })
  return { count: groups.rows.length, checks: checks.rows }
}
