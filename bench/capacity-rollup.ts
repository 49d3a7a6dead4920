// What the rollup of an hour of a check costs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CapacityFigures } from '@vedette/server/capacity-figures'
import { round } from './capacity-figures.ts'
import { cpuMicros, type Idle, readCounters, type Stage } from './capacity-stage.ts'
import { bytesPerRow, columnsOf } from './row-bytes.ts'

const hourMs = 3_600_000
const runsPerHour = 60

/** Copies results into hours that are over, and waits until the server has rolled them up. */
export async function measureRollup(stage: Stage, idle: Idle): Promise<CapacityFigures['rollup']> {
  const { store } = stage
  const hours = Array.from(
    { length: 6 },
    (_, n) => new Date((Math.floor(Date.now() / hourMs) - 2 - n) * hourMs),
  )
    // The results of a day are in its partition.
    .filter((hour) => hour.getUTCDate() === new Date().getUTCDate())
  if (hours.length === 0) throw new Error('two hours of this day (UTC) must be over')
  const columns = await columnsOf(store, 'results')
  const instant = `h + n * interval '1 hour' / ${runsPerHour}`
  const own: Record<string, string> = {
    ...{ scheduled_at: instant, started_at: instant, stopped_at: instant },
    ...{ run_id: 'gen_random_uuid()', id: 'gen_random_uuid()' },
  }
  await store.query(
    `insert into results (${columns.join(', ')})
     select ${columns.map((name) => own[name] ?? `t.${name}`).join(', ')}
     from (select distinct on (r.check_id) r.* from results r join checks c on c.id = r.check_id) t,
       unnest($1::timestamptz[]) h, generate_series(0, ${runsPerHour - 1}) n`,
    [hours],
  )
  // No run may be in progress, or it would count.
  await store.query('delete from schedule')
  await sleep(5_000)
  const before = await readCounters(stage)
  const marked = await store.query(
    `insert into rollup_pending (account_id, check_id, hour) select account_id, id, h from checks, unnest($1::timestamptz[]) h`,
    [hours],
  )
  const count = marked.rowCount ?? 0
  for (;;) {
    const { rows } = await store.query<{ left: number }>(
      'select count(*)::int as left from rollup_pending where hour = any($1)',
      [hours],
    )
    if (rows[0]?.left === 0) break
    await sleep(1_000)
  }
  const after = await readCounters(stage)
  const micros = cpuMicros(before, after, count, idle)
  return {
    serverMicros: round(micros.server),
    storeMicros: round(micros.store),
    hourBytes: round(
      (await bytesPerRow(store, 'rollups', "grain = 'hour'", [], 'bucket_at')) +
        (await bytesPerRow(store, 'coverage', 'hour = any($1)', [hours], 'hour')),
    ),
    dayBytes: round(await bytesPerRow(store, 'rollups', "grain = 'day'", [], 'bucket_at')),
  }
}
