// A month as a table. On a narrow screen only days with something are listed.
import { Link } from 'wouter'
import { useIsNarrow } from '../../core/use-is-narrow.ts'
import { wallTimeOf } from '../../core/zoned-time.ts'
import { Failure } from '../../parts/states.tsx'
import { rangeOf, touchesDay, weeksOf } from './month.ts'
import { type Occurrence, useOccurrences, type Window } from './use-windows.ts'

interface CalendarProps {
  month: string
  windows: readonly Window[]
  zone: string
  now: number
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export function Calendar({ month, windows, zone, now }: CalendarProps) {
  const { data, error, refetch } = useOccurrences(rangeOf(month))
  const isNarrow = useIsNarrow()
  if (error && data === undefined) return <Failure what="The calendar" error={error} onRetry={refetch} />
  const occurrences = data ?? []
  const nameOf = (id: number) => windows.find((window) => window.id === id)?.name ?? 'Maintenance'
  const today = new Date(wallTimeOf(now, zone)).toISOString().slice(0, 10)
  const onDay = (date: string) => occurrences.filter((one) => touchesDay(one, date, zone))
  if (isNarrow) return <DayList month={month} zone={zone} onDay={onDay} nameOf={nameOf} />
  return (
    <table className="calendar">
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} scope="col">
              <abbr title={day}>{day.slice(0, 3)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week[0]?.date}>
            {week.map(({ date, isInMonth }) => (
              <td
                key={date}
                className={isInMonth ? '' : 'other-month'}
                {...(date === today ? { 'aria-current': 'date' } : {})}
              >
                <time dateTime={date}>{Number(date.slice(8))}</time>
                <DayEntries entries={onDay(date)} date={date} zone={zone} nameOf={nameOf} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface DayProps {
  zone: string
  nameOf(id: number): string
}

function DayEntries({ entries, date, zone, nameOf }: DayProps & { entries: Occurrence[]; date: string }) {
  if (entries.length === 0) return null
  return (
    <ul>
      {entries.map((one) => (
        <li key={`${one.maintenanceWindowId} ${one.startsAt}`}>
          <Link href={`/maintenance/${one.maintenanceWindowId}`} className="calendar-entry">
            <span className="muted-text">{timeOnDay(one, date, zone)}</span> {nameOf(one.maintenanceWindowId)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function DayList({
  month,
  zone,
  onDay,
  nameOf,
}: DayProps & { month: string; onDay(date: string): Occurrence[] }) {
  const days = weeksOf(month)
    .flat()
    .filter(({ isInMonth }) => isInMonth)
    .map(({ date }) => ({ date, entries: onDay(date) }))
    .filter(({ entries }) => entries.length > 0)
  if (days.length === 0) return <p className="muted-text">Nothing in this month.</p>
  return (
    <ol className="day-list">
      {days.map(({ date, entries }) => (
        <li key={date}>
          <time dateTime={date}>{dayName(date)}</time>
          <DayEntries entries={entries} date={date} zone={zone} nameOf={nameOf} />
        </li>
      ))}
    </ol>
  )
}

/** `03:00`, or that it goes on from the day before. */
function timeOnDay({ startsAt, endsAt }: Occurrence, date: string, zone: string): string {
  const clock = (instant: string) => new Date(wallTimeOf(Date.parse(instant), zone)).toISOString()
  const [start, end] = [clock(startsAt), clock(endsAt)]
  if (start.startsWith(date)) return start.slice(11, 16)
  return end.startsWith(date) ? `until ${end.slice(11, 16)}` : 'all day'
}

function dayName(date: string): string {
  return new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(Date.parse(`${date}T00:00:00Z`))
}
