// The messages of one check in a backtest, and what would have been held back.
import type { ResponseTo } from '../../api/call.ts'
import { alertLabels } from '../../core/alert-labels.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment } from '../../parts/time.tsx'
import { heldReasons } from './held-reasons.ts'

type BacktestedCheck = ResponseTo<'POST /v1/alert-settings/backtest'>['checks'][number]

const shownAtMost = 50

export function BacktestEvents({ check }: { check: BacktestedCheck }) {
  const events = check.events.slice(0, shownAtMost)
  const more = check.events.length - events.length
  return (
    <>
      <ol className="backtest-events">
        {events.map(({ type, kind, heldBy, at, scheduledAt, sentAt }) => (
          <li key={`${scheduledAt} ${at} ${type}`}>
            <Moment at={at} />
            <StateLabel {...alertLabels[type]} />
            <span className="muted-text">
              {kind === null
                ? heldBy && heldReasons[heldBy]
                : sentAt === null
                  ? 'Wasn’t sent then.'
                  : 'Was sent then too.'}
            </span>
          </li>
        ))}
        {check.removed.slice(0, shownAtMost).map(({ type, at }) => (
          <li key={`removed ${at} ${type}`}>
            <Moment at={at} />
            <StateLabel {...alertLabels[type]} />
            <span className="muted-text">Was sent then, and wouldn’t be now.</span>
          </li>
        ))}
      </ol>
      {(more > 0 || check.truncated) && <p className="hint">Only the first {shownAtMost} are listed.</p>}
    </>
  )
}
