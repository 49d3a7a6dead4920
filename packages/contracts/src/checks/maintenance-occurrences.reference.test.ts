import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isActive,
  mergeOccurrences,
  occurrences,
  openTimes,
  type RepeatingPeriod,
} from './maintenance-occurrences.ts'

const quarter = 900_000
const hour = 4 * quarter
const day = 24 * hour
const at = (text: string): number => Date.parse(text)

describe('a naive calendar that visits every repeat', () => {
  it('has the same occurrences, and is open at the same instants', () => {
    fc.assert(
      fc.property(aWindow, ({ wallStart, durationMs, period, from, to }) => {
        const { timezone } = period
        const first = naiveInstant(timezone, at(`${wallStart}Z`))
        // A start that a clock change skips can't be chosen.
        fc.pre(clockOf(timezone).format(first).replace(' ', 'T') === wallStart)
        const [startsAt, endsAt] = [first, first + durationMs].map((ms) => new Date(ms).toISOString())
        const tested = { ...period, startsAt, endsAt } as RepeatingPeriod
        const visited = visitRepeats(tested, wallStart, to)
          .map((start) => ({ start, end: start + durationMs }))
          .filter(({ start, end }) => start < to && end > from)
        expect(occurrences(tested, from, to)).toEqual(visited)
        const cut = visited.map(({ start, end }) => ({
          start: Math.max(start, from),
          end: Math.min(end, to),
        }))
        expect(openTimes(tested, from, to)).toEqual(mergeOccurrences(cut))
        const wrong = []
        for (let instant = from; instant < Math.min(to, from + 12 * day); instant += quarter) {
          const isOpen = visited.some(({ start, end }) => start <= instant && instant < end)
          if (isActive(tested, instant) !== isOpen) wrong.push(new Date(instant))
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

/** Tries every quarter of an hour; if no instant has this wall-clock time, finds the gap around it. */
function naiveInstant(timezone: string, wall: number): number {
  const clock = clockOf(timezone)
  const instantAt = (shown: number): number | undefined => {
    const text = new Date(shown).toISOString().slice(0, 19).replace('T', ' ')
    for (let instant = shown - 14 * hour; instant <= shown + 12 * hour; instant += quarter) {
      if (clock.format(instant) === text) return instant
    }
    return undefined
  }
  const exact = instantAt(wall)
  if (exact !== undefined) return exact
  let [begin, end] = [wall, wall]
  while (instantAt(begin - quarter) === undefined) begin -= quarter
  while (instantAt(end) === undefined) end += quarter
  return instantAt(wall + (end - begin)) as number
}

/** In Sweden dates are written as in ISO 8601. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(timeZone, clock)
  return clock
}
const clocks = new Map<string, Intl.DateTimeFormat>()

function visitRepeats(period: RepeatingPeriod, wallStart: string, to: number): number[] {
  const starts = [at(period.startsAt)]
  const [date = '', time = ''] = wallStart.split('T')
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number)
  const interval = period.repeatInterval as number
  for (let units = interval; ; units += interval) {
    let page = new Date(
      Date.UTC(year, month - 1, dayOfMonth + units * (period.repeatUnit === 'WEEK' ? 7 : 1)),
    )
    if (period.repeatUnit === 'MONTH') {
      let lastDay = dayOfMonth
      do page = new Date(Date.UTC(year, month - 1 + units, lastDay--))
      while (page.getUTCMonth() !== (month - 1 + units) % 12)
    }
    const start = naiveInstant(period.timezone as string, at(`${page.toISOString().slice(0, 10)}T${time}Z`))
    if (start >= to) return starts
    if (period.repeatEndsAt === null || start < at(period.repeatEndsAt)) starts.push(start)
  }
}

/** A zone, a day on which it changes its clocks, and the first quarter of an hour that is skipped or doubled then. */
const changes: [string, string, number][] = [
  ['Europe/Berlin', '2027-03-28', 8],
  ['Europe/Berlin', '2026-10-25', 8],
  ['America/New_York', '2027-03-14', 8],
  ['America/New_York', '2026-11-01', 4],
  ['Australia/Lord_Howe', '2026-10-04', 8],
  ['Australia/Lord_Howe', '2027-04-04', 6],
  ['Australia/Sydney', '2026-10-04', 8],
  ['Australia/Sydney', '2027-04-04', 8],
  ['America/Santiago', '2026-09-06', 0],
  ['America/Santiago', '2027-04-03', 92],
  ['Asia/Kolkata', '2028-02-29', 0],
  ['UTC', '2027-02-28', 0],
]

const aWindow = fc
  .record({
    change: fc.constantFrom(...changes),
    /** Mostly a time that is skipped or doubled on the day of the change. */
    quarters: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }) },
      fc.integer({ min: 4, max: 95 }),
    ),
    repeatsBefore: fc.integer({ min: 0, max: 5 }),
    daysBefore: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
    atMonthEnd: fc.boolean(),
    durationMs: fc.constantFrom(quarter, hour, 5 * hour, 30 * hour, 40 * day),
    repeatUnit: fc.constantFrom('DAY' as const, 'WEEK' as const, 'MONTH' as const),
    repeatInterval: fc.integer({ min: 1, max: 4 }),
    endsAfterDays: fc.option(fc.integer({ min: -3, max: 10 }), { freq: 3 }),
    askedDays: fc.tuple(fc.integer({ min: -10, max: 1 }), fc.integer({ min: 2, max: 40 })),
  })
  .map(({ change: [timezone, date, first], ...chosen }) => {
    const length = { DAY: 1, WEEK: 7, MONTH: 31 }[chosen.repeatUnit] * chosen.repeatInterval
    const someDate = at(date) - (chosen.repeatsBefore * length + chosen.daysBefore) * day
    const startDate = chosen.atMonthEnd ? monthEndBefore(someDate) : someDate
    const wallTime = startDate + ((first + chosen.quarters) % 96) * quarter
    const { durationMs, repeatUnit, repeatInterval, endsAfterDays, askedDays } = chosen
    const repeatEndsAt =
      endsAfterDays === null ? null : new Date(at(date) + endsAfterDays * day).toISOString()
    const period = { timezone, repeatUnit, repeatInterval, repeatEndsAt }
    const [from, to] = askedDays.map((days) => at(date) + days * day) as [number, number]
    return { wallStart: new Date(wallTime).toISOString().slice(0, 19), durationMs, period, from, to }
  })

function monthEndBefore(date: number): number {
  return new Date(date).setUTCDate(0)
}
