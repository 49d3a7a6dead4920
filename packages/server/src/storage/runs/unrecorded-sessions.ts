import type { Client } from '../core/transaction.ts'

const listText = `
  with old as materialized (
    select id, started_at from test_sessions where not is_recorded and stopped_at < to_timestamp($1 / 1000.0)
    order by stopped_at limit $2 for update skip locked
  )
  select old.id, old.started_at as "startedAt", array(
    select r.id from test_session_results r where r.test_session_id = old.id) as "resultIds"
  from old`

// The slot of the runs of a session is its start, so only one partition of artifacts is read for each session.
const deleteFilesText = `
  delete from artifacts a using unnest($1::uuid[], $2::timestamptz[]) as r (id, started_at)
  where a.result_id = r.id and a.scheduled_at = r.started_at and a.scheduled_at = any($2::timestamptz[])
  returning a.account_id as "accountId", a.sha256`

/** Deletes sessions that ended before, with their results and files. Returns how many: with the limit there may be more. */
export async function deleteUnrecordedSessions(
  client: Client,
  endedBefore: number,
  limit: number,
): Promise<number> {
  const { rows: sessions } = await client.query<{ id: string; startedAt: string; resultIds: string[] }>(
    listText,
    [endedBefore, limit],
  )
  const results = sessions.flatMap(({ startedAt, resultIds }) => resultIds.map((id) => ({ id, startedAt })))
  const { rows: files } = await client.query<{ accountId: string; sha256: string }>(deleteFilesText, [
    results.map(({ id }) => id),
    results.map(({ startedAt }) => startedAt),
  ])
  await client.query(
    `update blobs b set examine_at = '-infinity' from unnest($1::uuid[], $2::text[]) as f (account_id, sha256)
     where b.account_id = f.account_id and b.sha256 = f.sha256 and b.is_stored`,
    [files.map(({ accountId }) => accountId), files.map(({ sha256 }) => sha256)],
  )
  await client.query('delete from test_sessions where id = any($1::uuid[])', [sessions.map(({ id }) => id)])
  return sessions.length
}
