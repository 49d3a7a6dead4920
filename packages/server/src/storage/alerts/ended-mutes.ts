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
