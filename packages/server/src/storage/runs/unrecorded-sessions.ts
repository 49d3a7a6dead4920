import type { Client } from '../core/transaction.ts'

// The slot of the runs of a session is its start, so only one partition of artifacts is read for each session.
const deleteText = `
  with old as materialized (
    select id, started_at from test_sessions where not is_recorded and stopped_at < to_timestamp($1 / 1000.0)
    order by stopped_at limit $2 for update skip locked
  ), files as (
    delete from artifacts a using old join test_session_results r on r.test_session_id = old.id
    where a.result_id = r.id and a.scheduled_at = old.started_at returning a.account_id, a.sha256
  ), examined as (
    update blobs b set examine_at = '-infinity' from (select distinct account_id, sha256 from files) f
    where b.account_id = f.account_id and b.sha256 = f.sha256 and b.is_stored
  ), gone as (
    delete from test_sessions s using old where s.id = old.id returning 1
  )
  select count(*) as deleted from gone`

/** Deletes sessions that ended before, with their results and files. Returns how many: with the limit there may be more. */
export async function deleteUnrecordedSessions(
  client: Client,
  endedBefore: number,
  limit: number,
): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>(deleteText, [endedBefore, limit])
  return rows[0]?.deleted ?? 0
}
