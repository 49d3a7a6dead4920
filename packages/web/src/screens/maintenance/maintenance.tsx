// Maintenance windows: a calendar of a month, and a list.
import './maintenance.css'
import { Link } from 'wouter'
import { useSession } from '../../api/session.tsx'
import { changePreferences } from '../../core/preferences.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { Moment, RelativeTime, useNow, useTimeOptions } from '../../parts/time.tsx'
import { Calendar } from './calendar.tsx'
import { monthName, readMonth, shiftMonth, zoneOf } from './month.ts'
import { Period } from './period.tsx'
import { type Occurrence, useOccurrences, useWindows, type Window } from './use-windows.ts'
import { effectsInWords, repeatsInWords } from './window-words.ts'

export function Screen() {
  const { data, error, refetch } = useWindows()
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  return (
    <ScreenFrame
      title="Maintenance"
      actions={
        denial === null ? (
          <Link href="/maintenance/new" className="button primary">
            Plan maintenance
          </Link>
        ) : (
          <span className="muted-text">{denial}</span>
        )
      }
    >
      {error && data === undefined ? (
        <Failure what="The maintenance windows" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad rows={10} />
      ) : data.length === 0 ? (
        <Empty title="No maintenance is planned">
          <p className="muted-text">
            A maintenance window pauses checks and silences their alerts while you work on what they watch.
          </p>
          {denial === null && (
            <Link href="/maintenance/new" className="button primary">
              Plan maintenance
            </Link>
          )}
        </Empty>
      ) : (
        <Windows windows={data} />
      )}
    </ScreenFrame>
  )
}

const dayS = 86_400

function Windows({ windows }: { windows: readonly Window[] }) {
  const [search, setSearch] = useSearchParameters()
  const now = useNow()
  const { isUtc } = useTimeOptions()
  const zone = zoneOf(isUtc)
  const month = readMonth(search.get('month'), now, zone)
  const isList = search.get('view') === 'list'
  const set = (name: string, value: string | null) => {
    const next = new URLSearchParams(search)
    if (value === null) next.delete(name)
    else next.set(name, value)
    setSearch(next, { isNewEntry: true })
  }
  // Whole hours, so that the same range is asked for again.
  const from = Math.floor(now / 3_600_000) * 3_600
  const upcoming = useOccurrences({ from: from - dayS, to: from + 60 * dayS })
  return (
    <>
      <OpenNow windows={windows} occurrences={upcoming.data ?? []} now={now} />
      <div className="maintenance-bar">
        <fieldset className="chips">
          <legend className="unseen">View</legend>
          <button type="button" className="chip" aria-pressed={!isList} onClick={() => set('view', null)}>
            Calendar
          </button>
          <button type="button" className="chip" aria-pressed={isList} onClick={() => set('view', 'list')}>
            List
          </button>
        </fieldset>
        {!isList && (
          <div className="month-nav">
            <ActionButton onPress={() => set('month', shiftMonth(month, -1))}>
              ‹<span className="unseen">Previous month</span>
            </ActionButton>
            <h2 aria-live="polite">{monthName(month)}</h2>
            <ActionButton onPress={() => set('month', shiftMonth(month, 1))}>
              ›<span className="unseen">Next month</span>
            </ActionButton>
            <ActionButton look="quiet" onPress={() => set('month', null)}>
              Today
            </ActionButton>
          </div>
        )}
        <span className="muted-text">
          Times in {zone}
          {zone !== 'UTC' || isUtc ? (
            <>
              .{' '}
              <button type="button" className="link" onClick={() => changePreferences({ isUtc: !isUtc })}>
                {isUtc ? 'Show my time zone' : 'Show UTC'}
              </button>
            </>
          ) : null}
        </span>
      </div>
      {isList ? (
        <WindowList windows={windows} occurrences={upcoming.data ?? []} now={now} />
      ) : (
        <Calendar month={month} windows={windows} zone={zone} now={now} />
      )}
    </>
  )
}

interface ListProps {
  windows: readonly Window[]
  occurrences: readonly Occurrence[]
  now: number
}

const isOpenAt = ({ startsAt, endsAt }: Occurrence, now: number) =>
  Date.parse(startsAt) <= now && now < Date.parse(endsAt)

function OpenNow({ windows, occurrences, now }: ListProps) {
  const open = occurrences.filter((one) => isOpenAt(one, now))
  if (open.length === 0) return null
  return (
    <section className="panel" aria-label="Open now">
      <h2>Open now</h2>
      <ul className="open-now">
        {open.map(({ maintenanceWindowId, startsAt, endsAt }) => {
          const window = windows.find(({ id }) => id === maintenanceWindowId)
          return (
            <li key={`${maintenanceWindowId} ${startsAt}`}>
              <StateLabel state="maintenance" label={window?.name ?? 'Maintenance'} />
              <span className="muted-text">
                until <Moment at={endsAt} /> (<RelativeTime at={endsAt} />)
              </span>
              <Link href={`/maintenance/${maintenanceWindowId}`}>
                Details<span className="unseen"> of {window?.name}</span>
              </Link>
            </li>
          )
        })}
      </ul>
      <p>
        <Link href="/checks?state=maintenance">Checks in maintenance</Link>
      </p>
    </section>
  )
}

function WindowList({ windows, occurrences, now }: ListProps) {
  const nextOf = (id: number) =>
    occurrences.find((one) => one.maintenanceWindowId === id && Date.parse(one.endsAt) > now)
  const rows = windows
    .map((window) => ({ window, next: nextOf(window.id) }))
    .toSorted((a, b) => (a.next?.startsAt ?? '9').localeCompare(b.next?.startsAt ?? '9'))
  return (
    <ul className="window-list" aria-label="Maintenance windows">
      {rows.map(({ window, next }) => (
        <li key={window.id}>
          <p>
            <Link href={`/maintenance/${window.id}`}>{window.name}</Link>
          </p>
          <p className="muted-text">{effectsInWords(window)}</p>
          <p>
            {next === undefined ? (
              <span className="muted-text">
                {Date.parse(window.startsAt) > now ? (
                  <>
                    Begins <Moment at={window.startsAt} />
                  </>
                ) : window.repeatInterval === null ? (
                  'Over'
                ) : (
                  'Nothing in the next 60 days'
                )}
              </span>
            ) : isOpenAt(next, now) ? (
              <>
                <StateLabel state="maintenance" label="Open" />{' '}
                <span className="muted-text">
                  until <Moment at={next.endsAt} />
                </span>
              </>
            ) : (
              <Period startsAt={next.startsAt} endsAt={next.endsAt} />
            )}
          </p>
          <p className="muted-text">{repeatsInWords(window)}</p>
        </li>
      ))}
    </ul>
  )
}
