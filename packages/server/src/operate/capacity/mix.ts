// A mix of checks as text: 5000:1m, or 5000:1m:3 for checks that run in three locations at the same time.
import { type CheckType, checkTypeNames, dayMs, definitionOf, hourMs, minuteMs } from '@vedette/contracts'
import { UsageError } from '../command.ts'
import type { ChecksOfMix } from './model.ts'

const units = { s: 1000, m: minuteMs, h: hourMs, d: dayMs } as const
const maxChecks = 100_000_000
const maxLocations = 100
const [shortestMs, longestMs] = [10_000, 365 * dayMs]

/** The option of each type has the name that the type has in paths of the API. */
export const mixOptions: ReadonlyMap<string, CheckType> = new Map(
  checkTypeNames.map((type) => [definitionOf(type).path, type]),
)

/** How often checks of a type run if the text doesn't say: scripts every ten minutes, others every minute. */
function defaultPeriodMs(type: CheckType): number {
  return definitionOf(type).capacity === 'code' ? 10 * minuteMs : minuteMs
}

/** Several parts are separated by commas. */
export function readMix(option: string, type: CheckType, text: string): ChecksOfMix[] {
  return text.split(',').map((part) => readPart(option, type, part))
}

function readPart(option: string, type: CheckType, text: string): ChecksOfMix {
  const wrong = (problem: string) =>
    new UsageError(
      `--${option}: ${problem}, not "${text}". Write COUNT, COUNT:EVERY or COUNT:EVERY:LOCATIONS.`,
    )
  const [count = '', every, locations = '1', ...rest] = text.split(':')
  if (rest.length > 0) throw wrong('three parts are allowed')
  if (!isWhole(count, 1, maxChecks)) throw wrong(`the count must be a whole number from 1 to ${maxChecks}`)
  if (!isWhole(locations, 1, maxLocations)) throw wrong(`the locations must be 1 to ${maxLocations}`)
  const periodMs = every === undefined ? defaultPeriodMs(type) : periodOf(every)
  if (periodMs === null || periodMs < shortestMs || periodMs > longestMs)
    throw wrong('the period must be from 10s to 365d, such as 30s, 10m, 6h or 1d')
  return { type, checks: Number(count), periodMs, locations: Number(locations) }
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
}

function periodOf(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return count === undefined ? null : Number(count) * units[unit as keyof typeof units]
}
