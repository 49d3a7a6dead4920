// Alerts with their deliveries, and changes of which nobody was notified.
import './alerts.css'
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { alertLabels } from '../../core/alert-labels.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment } from '../../parts/time.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import { heldReasons } from './held-reasons.ts'

export type AlertEntry = ResponseTo<'GET /v1/alert-history'>['entries'][number]

export function AlertList({ entries }: { entries: readonly AlertEntry[] }) {
  return (
    <ol className="entry-list" aria-label="Alerts">
      {entries.map((entry) => (
        <AlertLine key={entry.id} entry={entry} />
      ))}
    </ol>
  )
}

function AlertLine({ entry }: { entry: AlertEntry }) {
  const nameOf = useLocationNames()
  return (
    <li className="entry">
      <div className="entry-head">
        <StateLabel {...alertLabels[entry.alertType]} />
        <span className="muted-text">
          <Moment at={entry.created_at} />
        </span>
      </div>
      <div className="entry-about">
        <p>
          <Link href={`/checks/${entry.checkId}`}>{entry.name}</Link>
          {entry.runLocation !== '' && <span className="muted-text"> from {nameOf(entry.runLocation)}</span>}
        </p>
        {entry.error !== null && <p className="reason">{entry.error}</p>}
        {entry.checkResultId !== null && (
          <p>
            <Link href={`/checks/${entry.checkId}/results/${entry.checkResultId}`}>
              Result<span className="unseen"> of {entry.name}</span>
            </Link>
          </p>
        )}
      </div>
      <div className="entry-outcome">
        <Outcome entry={entry} />
      </div>
    </li>
  )
}

function Outcome({ entry }: { entry: AlertEntry }) {
  if (entry.heldBy !== null) return <p className="muted-text">{heldReasons[entry.heldBy]}</p>
  if (entry.deliveries.length > 0)
    return entry.deliveries.map((delivery) => <DeliveryLine key={delivery.id} delivery={delivery} />)
  if (entry.isPending) return <p className="muted-text">The channels are being determined.</p>
  return (
    <p className="muted-text">
      Nobody notified. No channel of this check wants such messages.{' '}
      <Link href="/alerts/channels">Channels</Link>
    </p>
  )
}
