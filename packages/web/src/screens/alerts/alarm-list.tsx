// Locations in which checks didn't run.
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { formatList, formatNumberOf } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment, Since } from '../../parts/time.tsx'

export type Alarm = ResponseTo<'GET /v1/location-alarms'>[number]

const causes: Record<Alarm['cause'], string> = {
  no_agent: 'It has no connected agent.',
  unserved_type: 'None of its agents runs checks of this type.',
  overdue: 'It has an agent, but runs wait.',
  server_outage: 'No server was running.',
}

export function AlarmList({ alarms }: { alarms: readonly Alarm[] }) {
  const nameOf = useLocationNames()
  return (
    <ol className="entry-list" aria-label="Location alarms">
      {alarms.map((alarm) => (
        <li key={alarm.id} className="entry">
          <div className="entry-head">
            <StateLabel
              state={alarm.resolvedAt === null ? 'unknown' : 'passing'}
              label={alarm.resolvedAt === null ? 'Not running' : 'Running again'}
            />
            <span className="muted-text">
              <Moment at={alarm.openedAt} />
            </span>
          </div>
          <div className="entry-about">
            <p>
              <strong>{alarm.location === '' ? 'All locations' : nameOf(alarm.location)}</strong>
            </p>
            <p className="reason">
              {causes[alarm.cause]}
              {alarm.unservedTypes.length > 0 &&
                ` Without an agent: ${alarm.unservedTypes.map((type) => typeLabels[type]).join(', ')}.`}
            </p>
          </div>
          <div className="entry-outcome">
            <p>
              {formatNumberOf(alarm.checkCount, 'check')}
              {alarm.checks.length > 0 && <span className="muted-text">: {formatList(alarm.checks)}</span>}
            </p>
            <p className="muted-text">
              {alarm.resolvedAt === null ? (
                <>
                  Open <Since at={alarm.openedAt} />.{' '}
                  <Link href="/checks?state=unknown">Checks that don’t run</Link>
                </>
              ) : (
                <>
                  Over at <Moment at={alarm.resolvedAt} />
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}
