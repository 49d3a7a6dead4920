// The schedule of a check in words: every 5 minutes, in turn from Frankfurt and N. Virginia.
import { formatList } from './format.ts'

export interface Schedule {
  checkType: string
  frequency?: number | undefined
  frequencyOffset?: number | null | undefined
  locations?: readonly string[] | null | undefined
  privateLocations?: readonly string[] | null | undefined
  runParallel?: boolean | undefined
  heartbeat?: { period: number; periodUnit: string; grace: number; graceUnit: string } | undefined
}

export function scheduleInWords(schedule: Schedule, nameOf: (location: string) => string): string {
  const { heartbeat, runParallel = false } = schedule
  if (schedule.checkType === 'HEARTBEAT')
    return heartbeat === undefined ? 'waits for pings' : pingsInWords(heartbeat)
  const places = [...(schedule.locations ?? []), ...(schedule.privateLocations ?? [])].map(nameOf)
  const period = periodInWords(schedule.frequency ?? 0, schedule.frequencyOffset ?? null)
  if (places.length === 0) return `${period}, without a location`
  if (places.length === 1) return `${period} from ${places[0]}`
  return runParallel
    ? `${period}, at once from ${formatList(places)}`
    : `${period}, in turn from ${formatList(places)}`
}

/** `frequency` in minutes; at 0 the offset is the number of seconds. */
export function periodInWords(frequency: number, offset: number | null): string {
  if (frequency === 0) return offset === null ? 'on demand' : `every ${offset} seconds`
  if (frequency === 1) return 'every minute'
  if (frequency < 60) return `every ${frequency} minutes`
  if (frequency === 60) return 'every hour'
  return frequency === 1440 ? 'every day' : `every ${frequency / 60} hours`
}

function pingsInWords({ period, periodUnit, grace, graceUnit }: NonNullable<Schedule['heartbeat']>): string {
  const span = (count: number, unit: string) => (count === 1 ? unit.replace(/s$/, '') : `${count} ${unit}`)
  const late =
    grace === 0
      ? ''
      : `, at most ${grace === 1 ? `1 ${graceUnit.replace(/s$/, '')}` : `${grace} ${graceUnit}`} late`
  return `expects a ping every ${span(period, periodUnit)}${late}`
}
