// What happened in the last 24 hours, as a quiet timeline.
import { Link } from 'wouter'
import type { Recent } from '../../api/types.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { Moment } from '../../parts/time.tsx'

const icons: Record<Recent['kind'], IconName> = {
  alert: 'bell',
  incident: 'bell',
  deployment: 'up',
  change: 'settings',
}

export function RecentList({ recent }: { recent: readonly Recent[] }) {
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recently</h2>
      {recent.length === 0 ? (
        <p className="muted-text">No alerts, incidents, deployments or changes in the last 24 hours.</p>
      ) : (
        <ol className="recent">
          {recent.map((entry) => (
            <li key={`${entry.at} ${entry.kind} ${entry.text}`}>
              <span className="muted-text">
                <Moment at={entry.at} />
              </span>
              {entry.state === null ? <Icon name={icons[entry.kind]} /> : <StateIcon state={entry.state} />}
              <span>
                {entry.checkId === null ? (
                  entry.text
                ) : (
                  <Link href={`/checks/${entry.checkId}`}>{entry.text}</Link>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
