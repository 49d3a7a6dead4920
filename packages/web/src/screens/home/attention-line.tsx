// One line for a check that needs attention, or for several with the same cause.
import { useState } from 'react'
import { Link } from 'wouter'
import { useLocationNames } from '../../api/locations.ts'
import type { Attention, OverviewCheck } from '../../api/types.ts'
import { formatList, formatNumberOf } from '../../core/format.ts'
import { stateLabels } from '../../core/states.ts'
import { CheckActions } from '../../parts/check-actions.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RunTicks } from '../../parts/run-ticks.tsx'
import { MutedMark, StateIcon } from '../../parts/state-icon.tsx'
import { Since } from '../../parts/time.tsx'

export function AttentionLine({ line }: { line: Attention }) {
  const [only] = line.checks
  return line.total === 1 && only !== undefined ? (
    <SingleLine line={line} check={only} />
  ) : (
    <GroupLine line={line} />
  )
}

function SingleLine({ line, check }: { line: Attention; check: OverviewCheck }) {
  return (
    <li className="attention-line">
      <CheckRow check={check} reason={line.reason} where={useWhere(line, check)} />
    </li>
  )
}

function GroupLine({ line }: { line: Attention }) {
  const [isOpen, setOpen] = useState(false)
  const rest = line.total - line.checks.length
  return (
    <li className="attention-line">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary data-row-link="">
          <StateIcon state={line.state} />
          <span className="unseen">{stateLabels[line.state]}</span>
          <span className="attention-text">
            <strong>{line.label}</strong>
            <span className="reason">{line.reason}</span>
          </span>
          <span className="muted-text">
            <Since at={line.since} />
          </span>
          <Icon name="down" />
        </summary>
        {/* Only when it is opened: after an outage it has many rows. */}
        {isOpen && (
          <ul>
            {line.checks.map((check) => (
              <li key={check.id}>
                <CheckRow check={check} reason={check.reason} where={null} />
              </li>
            ))}
          </ul>
        )}
        {rest > 0 && (
          <p className="muted-text more">
            <Link href={`/checks?state=${line.state}`}>{formatNumberOf(rest, 'more check')}</Link>
          </p>
        )}
      </details>
    </li>
  )
}

interface CheckRowProps {
  check: OverviewCheck
  reason: string
  where: string | null
}

function CheckRow({ check, reason, where }: CheckRowProps) {
  return (
    <div className="attention-row">
      <StateIcon state={check.state} />
      <div className="attention-text">
        <div className="attention-name">
          <span className="unseen">{stateLabels[check.state]}: </span>
          <Link href={`/checks/${check.id}`} data-row-link="">
            {check.groupName && <span className="prefix">{check.groupName} / </span>}
            {check.name}
          </Link>
          {check.muted && <MutedMark until={check.mutedUntil} />}
          {check.tags.slice(0, 3).map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
        <p className="reason">{reason}</p>
        <p className="muted-text">
          {where && `${where}, `}
          <Since at={check.since} />
        </p>
      </div>
      <RunTicks runs={check.runs} />
      <CheckActions check={check} />
    </div>
  )
}

/** `all locations`, or which. */
function useWhere(line: Attention, check: OverviewCheck): string | null {
  const nameOf = useLocationNames()
  const all = check.locations.length + check.privateLocations.length
  if (line.locations.length === 0) return null
  if (all > 1 && line.locations.length === all) return 'all locations'
  return formatList(line.locations.map(nameOf))
}
