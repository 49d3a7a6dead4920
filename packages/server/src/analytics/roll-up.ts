// Rolls up results. In: closed hours that are marked as pending. Out: their rollups, those of their days, and the executed part of
// coverage. Rebuilt from the results each time, so a late result only has to mark its hour again.
import { dayMs, hourMs } from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import { markSummariesOutdated } from '../storage/results/check-summaries.ts'
import {
  type CheckHour,
  deletePendingHours,
  deleteRollups,
  type ExecutedRuns,
  insertRollups,
  listPendingHours,
  listRollups,
  lockRollup,
  type RecordedRuns,
  type RollupKey,
  type RollupRow,
  readRecordedRuns,
  writeExecuted,
} from '../storage/results/rollups.ts'
import { isMeasured } from './measure.ts'
import { Sketch } from './sketch.ts'

/** Most results arrive within this time; rolling up earlier would often be repeated. */
export const closedAfterMs = 120_000

export interface RollUpOptions {
  /** Hours per transaction. Rolling up blocks the event loop, with 50 hours for some 50 ms. */
  batch?: number
  /** Results before this instant are deleted: their rollups stay unchanged. */
  keptSince?: number
  /** Checked between transactions. */
  isStopping?: () => boolean
}

/** Returns how many hours were rolled up. Safe in several processes: only one rolls up at a time. */
export async function rollUpClosedHours(
  pool: Pool,
  now: number,
  options: RollUpOptions = {},
): Promise<number> {
  const { batch = 50, keptSince = 0, isStopping = () => false } = options
  let total = 0
  while (!isStopping()) {
    const count = await inTransaction(pool, async (client) => {
      if (!(await lockRollup(client))) return 0
      const hours = await listPendingHours(client, { begunBy: now - closedAfterMs - hourMs, limit: batch })
      if (hours.length > 0) await rollUpHours(client, hours, keptSince)
      return hours.length
    })
    total += count
    if (count < batch) break
  }
  return total
}

async function rollUpHours(client: Client, hours: CheckHour[], keptSince: number): Promise<void> {
  await deletePendingHours(client, hours)
  const kept = hours.filter(({ hour }) => hour >= keptSince)
  if (kept.length > 0) {
    const recorded = await readRecordedRuns(client, kept)
    await replaceRollups(client, kept, recorded.flatMap(hourRollup(kept)))
    await writeExecuted(client, executedRuns(kept, recorded))
    await markSummariesOutdated(client, kept)
  }
}

async function replaceRollups(client: Client, hours: CheckHour[], rollups: DecodedRollup[]): Promise<void> {
  const hourKeys = hours.map((hour) => keyOf(hour, 'hour'))
  const dayKeys = [...new Map(hourKeys.map((key) => [bucketOf(dayOf(key)), dayOf(key)])).values()]
  const replaced = await deleteRollups(client, hourKeys)
  const formerDays = await deleteRollups(client, dayKeys)
  // A day that already included one of these hours is rebuilt from its hours; to any other day the new hours are added.
  const dirty = new Set(replaced.map((row) => bucketOf(dayOf(row))))
  const dirtyKeys = dayKeys.filter((key) => dirty.has(bucketOf(key)))
  const others = await listRollups(client, dirtyKeys.flatMap(hoursOf))
  const parts = [...formerDays.filter((row) => !dirty.has(bucketOf(row))), ...others].map(decodeSketches)
  const days = new Map<string, DecodedRollup>()
  for (const part of [...parts, ...rollups]) addTo(days, { ...part, ...dayOf(part) })
  await insertRollups(client, [...rollups, ...days.values()].map(encodeSketches))
}

interface DecodedRollup extends Omit<RollupRow, 'sketches'> {
  sketches: Sketch[]
}

function hourRollup(hours: CheckHour[]) {
  return ({ index, outcome, metrics, lags: _, ...row }: RecordedRuns): DecodedRollup[] => {
    const hour = hours[index]
    // Canceled runs don't count.
    if (hour === undefined || outcome === 'cancelled') return []
    return [{ ...keyOf(hour, 'hour'), ...row, outcome, sketches: sketchesOf(metrics) }]
  }
}

function sketchesOf(metrics: (number | null)[][]): Sketch[] {
  const columns: number[][] = []
  for (const values of metrics) {
    for (let index = 0; index < values.length; index++) {
      columns[index] ??= []
      const value = values[index]
      if (isMeasured(value)) columns[index]?.push(value)
    }
  }
  return columns.map((values) => {
    const sketch = new Sketch()
    // Sorted values are appended to the sketch, which takes half the time of inserting them.
    for (const value of Float64Array.from(values).sort()) sketch.add(value)
    return sketch
  })
}

function addTo(days: Map<string, DecodedRollup>, part: DecodedRollup): void {
  const key = `${bucketOf(part)} ${part.location}\n${part.dimension}\n${part.outcome}`
  const day = days.get(key) ?? { ...part, runs: 0, degraded: 0, retries: 0, sketches: [] }
  days.set(key, day)
  day.runs += part.runs
  day.degraded += part.degraded
  day.retries += part.retries
  for (const [index, sketch] of part.sketches.entries()) {
    day.sketches[index] ??= new Sketch()
    day.sketches[index].merge(sketch)
  }
}

function executedRuns(hours: CheckHour[], recorded: RecordedRuns[]): ExecutedRuns[] {
  const executed = new Map<string, { hour: CheckHour; location: string; lag: Sketch }>()
  for (const { index, location, lags } of recorded) {
    const hour = hours[index]
    if (hour === undefined || lags === null) continue
    const entry = executed.get(`${index} ${location}`) ?? { hour, location, lag: new Sketch() }
    executed.set(`${index} ${location}`, entry)
    for (const lag of lags) entry.lag.add(lag)
  }
  return [...executed.values()].map(({ hour, location, lag }) => ({
    ...hour,
    location,
    executed: lag.count,
    lag: lag.encode(),
  }))
}

function keyOf({ accountId, checkId, hour }: CheckHour, grain: RollupKey['grain']): RollupKey {
  return { accountId, checkId, grain, bucketAt: hour }
}

function dayOf({ accountId, checkId, bucketAt }: RollupKey): RollupKey {
  return { accountId, checkId, grain: 'day', bucketAt: Math.floor(bucketAt / dayMs) * dayMs }
}

function hoursOf(day: RollupKey): RollupKey[] {
  return Array.from({ length: 24 }, (_, n) => ({
    ...day,
    grain: 'hour',
    bucketAt: day.bucketAt + n * hourMs,
  }))
}

function bucketOf({ checkId, bucketAt }: RollupKey): string {
  return `${checkId} ${bucketAt}`
}

function decodeSketches(row: RollupRow): DecodedRollup {
  return { ...row, sketches: row.sketches.map((bytes) => Sketch.decode(bytes)) }
}

function encodeSketches(row: DecodedRollup): RollupRow {
  return { ...row, sketches: row.sketches.map((sketch) => sketch.encode()) }
}
