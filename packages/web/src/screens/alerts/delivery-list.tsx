// The delivery log: every message to a channel.
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import type { StateName } from '../../core/states.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment } from '../../parts/time.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import type { DeliveryKind } from './history-filters.ts'

export type DeliveryEntry = ResponseTo<'GET /v1/alert-history/deliveries'>['entries'][number]

const kindLabels: Record<DeliveryKind, { state: StateName; label: string }> = {
  failure: { state: 'failing', label: 'Failing' },
  degraded: { state: 'degraded', label: 'Degraded' },
  recovery: { state: 'passing', label: 'Recovered' },
  ssl: { state: 'degraded', label: 'Certificate expires' },
  unknown: { state: 'unknown', label: 'Not running' },
  resumed: { state: 'passing', label: 'Running again' },
}

export function DeliveryList({ entries }: { entries: readonly DeliveryEntry[] }) {
  return (
    <ol className="entry-list" aria-label="Deliveries">
      {entries.map((entry) => (
        <li key={entry.id} className="entry">
          <div className="entry-head">
            <StateLabel {...kindLabels[entry.kind]} />
            <span className="muted-text">
              <Moment at={entry.created_at} />
            </span>
          </div>
          <div className="entry-about">
            <p>
              {entry.checkName === null ? (
                <span className="muted-text">A check that was deleted</span>
              ) : (
                <Link href={`/checks/${entry.checkId}`}>{entry.checkName}</Link>
              )}
              {entry.locationAlarmId !== null && (
                <>
                  {' '}
                  and others: <Link href="/alerts?view=alarms">location alarm</Link>
                </>
              )}
            </p>
            {entry.checkResultId !== null && entry.checkName !== null && (
              <p>
                <Link href={`/checks/${entry.checkId}/results/${entry.checkResultId}`}>
                  Result<span className="unseen"> of {entry.checkName}</span>
                </Link>
              </p>
            )}
          </div>
          <div className="entry-outcome">
            <DeliveryLine delivery={entry} />
          </div>
        </li>
      ))}
    </ol>
  )
}
