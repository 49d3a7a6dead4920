// The shared buffers of the embedded PostgreSQL. Pages of history take buffers too, and none is returned, so an installation
// grows to all of them with its age. A small one has few; the cache of the system holds its history.
import { totalmem } from 'node:os'
import pg from 'pg'
import { type Connection, leastSharedBuffersMb } from './settings.ts'

const mostSharedBuffersMb = 1024

/** Each run reads or writes their rows. */
const workingTables = ['checks', 'schedule', 'check_statuses', 'check_summaries']

/**
 * What each run needs fits in them twice, because there is history too. With 100,000 checks and 32 MB, PostgreSQL evicts and
 * writes pages all the time, and an installation executes half as many runs.
 */
export async function suitableSharedBuffersMb(connection: Connection): Promise<number> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ mb: number | null }>(
      `select (sum(pg_total_relation_size(oid)) / 1024 / 1024)::float8 as mb from pg_class
       where relnamespace = to_regnamespace('public') and relname = any($1)`,
      [workingTables],
    )
    // In a container, its limit; 0 if there is none.
    const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
    return sharedBuffersFor(rows[0]?.mb ?? 0, memory / 1024 / 1024)
  } finally {
    await client.end()
  }
}

export function sharedBuffersFor(workingSetMb: number, memoryMb: number): number {
  const most = Math.min(mostSharedBuffersMb, memoryMb / 4)
  return Math.max(leastSharedBuffersMb, Math.floor(Math.min(workingSetMb * 2, most)))
}
