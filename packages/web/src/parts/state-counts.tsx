// One count per state, each a filter of the list of checks.
import { Link } from 'wouter'
import type { Overview } from '../api/types.ts'
import { formatCount } from '../core/format.ts'
import { stateLabels, states } from '../core/states.ts'
import { Icon } from './icon.tsx'
import { StateIcon } from './state-icon.tsx'

interface StateCountsProps {
  counts: Overview['counts']
  muted: number
}

export function StateCounts({ counts, muted }: StateCountsProps) {
  return (
    <ul className="counts" aria-label="Checks by state">
      {states.map((state) => (
        <li key={state} className={counts[state] === 0 ? 'none' : ''}>
          <Link href={`/checks?state=${state}`}>
            <StateIcon state={state} />
            <strong>{formatCount(counts[state])}</strong>
            <span>{stateLabels[state]}</span>
          </Link>
        </li>
      ))}
      <li className={muted === 0 ? 'none' : ''}>
        <Link href="/checks?muted=true">
          <Icon name="muted" />
          <strong>{formatCount(muted)}</strong>
          <span>Muted</span>
        </Link>
      </li>
    </ul>
  )
}
