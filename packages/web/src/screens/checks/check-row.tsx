// biome-ignore-all lint/a11y/useSemanticElements: rows are placed freely, which the elements of a table can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the rows have the focus
import { Link } from 'wouter'
import type { OverviewCheck } from '../../api/types.ts'
import { stateLabels } from '../../core/states.ts'
import { RunTicks } from '../../parts/run-ticks.tsx'
import { MutedMark, StateIcon } from '../../parts/state-icon.tsx'
import { Since } from '../../parts/time.tsx'
import type { Column } from './columns.tsx'

interface WideRowProps {
  check: OverviewCheck
  shown: readonly Column[]
  hasTags: boolean
  nameOf(location: string): string
  onTag(tag: string): void
}

export function WideRow({ check, shown, hasTags, nameOf, onTag }: WideRowProps) {
  return (
    <>
      <div role="cell" className="name-cell">
        <NameLink check={check} />
        {check.muted && <MutedMark until={check.mutedUntil} />}
      </div>
      {shown.map(({ id, isNumber, cell }) => (
        <div key={id} role="cell" className={isNumber ? 'num' : 'cut'}>
          {cell(check, nameOf)}
        </div>
      ))}
      {hasTags && (
        <div role="cell" className="tags-cell">
          {check.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className="tag"
              title={`Only checks with the tag ${tag}`}
              onClick={() => onTag(tag)}
            >
              {tag}
            </button>
          ))}
        </div>
      )}
    </>
  )
}

/** Two lines: state, name, since; reason, last runs. */
export function NarrowRow({ check }: { check: OverviewCheck }) {
  return (
    <div role="cell" className="narrow-cell">
      <StateIcon state={check.state} />
      <span className="unseen">{stateLabels[check.state]}</span>
      <span className="name-cell">
        <NameLink check={check} />
        {check.muted && <MutedMark until={check.mutedUntil} />}
      </span>
      <span className="muted-text">
        <Since at={check.since} />
      </span>
      <span className="cut muted-text second">{check.reason}</span>
      <RunTicks runs={check.runs} />
    </div>
  )
}

function NameLink({ check }: { check: OverviewCheck }) {
  return (
    <Link href={`/checks/${check.id}`} className="cut" title={check.name}>
      {check.groupName && <span className="prefix">{check.groupName} / </span>}
      {check.name}
    </Link>
  )
}
