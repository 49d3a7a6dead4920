// Sums up what was recorded. Comes in: hours that are over and marked. Goes out: their rollups, those of their days, and
// the executed part of coverage. Made anew from the results each time, so a late result only has to mark its hour again.
import { dayMs, hourMs } from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import {
  type CheckHour,
  deletePendingHours,
  deleteRollups,
  type ExecutedRuns,
  insertRollups,
  listRollups,
  lockPendingHours,
  lockRollup,
  type RecordedRuns,
  type RollupKey,
  type RollupRow,
  readRecordedRuns,
  writeExecuted,
} from '../storage/results/rollups.ts'
import { isMeasured } from './measure.ts'
import { Sketch } from './sketch.ts'

/** Most results are there a moment after their hour; folding sooner would only be done twice. */
const closedAfterMs = 120_000

export interface FoldOptions {
  /** Hours per transaction: adding them up keeps the process from everything else, for some 50 ms here. */
  batch?: number
  /** Results before this instant are dropped: what was folded of them stays as it is. */
  keptSince?: number
  /** Asked between transactions. */
  isStopping?: () => boolean
}

/** Returns how many hours were folded. Safe in several processes: whoever folds already is left alone. */
export async function foldClosedHours(pool: Pool, now: number, options: FoldOptions = {}): Promise<number> {
  const { batch = 50, keptSince = 0, isStopping = () => false } = options
  let folded = 0
  while (!isStopping()) {
    const taken = await inTransaction(pool, async (client) => {
      if (!(await lockRollup(client))) return 0
      const hours = await lockPendingHours(client, { begunBy: now - closedAfterMs - hourMs, limit: batch })
      if (hours.length > 0) await foldHours(client, hours, keptSince)
      return hours.length
    })
    folded += taken
    if (taken < batch) break
  }
  return folded
}

async function foldHours(client: Client, hours: CheckHour[], keptSince: number): Promise<void> {
  const kept = hours.filter(({ hour }) => hour >= keptSince)
  if (kept.length > 0) {
    const recorded = await readRecordedRuns(client, kept)
    await replaceRollups(client, kept, recorded.flatMap(hourRollup(kept)))
    await writeExecuted(client, executedRuns(kept, recorded))
  }
  await deletePendingHours(client, hours)
}

async function replaceRollups(client: Client, hours: CheckHour[], rollups: HeldRollup[]): Promise<void> {
  const hourKeys = hours.map((hour) => keyOf(hour, 'hour'))
  const dayKeys = [...new Map(hourKeys.map((key) => [bucketOf(dayOf(key)), dayOf(key)])).values()]
  const replaced = await deleteRollups(client, hourKeys)
  const formerDays = await deleteRollups(client, dayKeys)
  // A day that held one of these hours before is added up from its hours again; to any other they are added.
  const dirty = new Set(replaced.map((row) => bucketOf(dayOf(row))))
  const dirtyKeys = dayKeys.filter((key) => dirty.has(bucketOf(key)))
  const others = await listRollups(client, dirtyKeys.flatMap(hoursOf))
  const parts = [...formerDays.filter((row) => !dirty.has(bucketOf(row))), ...others].map(decoded)
  const days = new Map<string, HeldRollup>()
  for (const part of [...parts, ...rollups]) addTo(days, { ...part, ...dayOf(part) })
  await insertRollups(client, [...rollups, ...days.values()].map(encoded))
}

interface HeldRollup extends Omit<RollupRow, 'sketches'> {
  sketches: Sketch[]
}

function hourRollup(hours: CheckHour[]) {
  return ({ index, outcome, metrics, lags: _, ...row }: RecordedRuns): HeldRollup[] => {
    const hour = hours[index]
    // Who cancelled a run wanted it not to count.
    if (hour === undefined || outcome === 'cancelled') return []
    return [{ ...keyOf(hour, 'hour'), ...row, outcome, sketches: sketchesOf(metrics) }]
  }
}

function sketchesOf(metrics: (number | null)[][]): Sketch[] {
  const columns: number[][] = []
  for (const values of metrics) {
    for (let slot = 0; slot < values.length; slot++) {
      columns[slot] ??= []
      const value = values[slot]
      if (isMeasured(value)) columns[slot]?.push(value)
    }
  }
  return columns.map((values) => {
    const sketch = new Sketch()
    // In order, each value goes to the end of what a sketch holds: half the work of putting it somewhere inside.
    for (const value of Float64Array.from(values).sort()) sketch.add(value)
    return sketch
  })
}

function addTo(days: Map<string, HeldRollup>, part: HeldRollup): void {
  const key = `${bucketOf(part)} ${part.location}\n${part.dimension}\n${part.outcome}`
  const day = days.get(key) ?? { ...part, runs: 0, degraded: 0, retries: 0, sketches: [] }
  days.set(key, day)
  day.runs += part.runs
  day.degraded += part.degraded
  day.retries += part.retries
  for (const [slot, sketch] of part.sketches.entries()) {
    day.sketches[slot] ??= new Sketch()
    day.sketches[slot].merge(sketch)
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

function decoded(row: RollupRow): HeldRollup {
  return { ...row, sketches: row.sketches.map((bytes) => Sketch.decode(bytes)) }
}

function encoded(row: HeldRollup): RollupRow {
  return { ...row, sketches: row.sketches.map((sketch) => sketch.encode()) }
}
