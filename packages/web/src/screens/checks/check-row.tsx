// biome-ignore-all lint/a11y/useSemanticElements: rows are placed freely, which the elements of a table can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the rows have the focus
import { type MouseEvent, memo } from 'react'
import { basePath } from '../../api/base-path.ts'
import type { OverviewCheck } from '../../api/types.ts'
import { formatCount, formatNumberOf } from '../../core/format.ts'
import { stateLabels, states } from '../../core/states.ts'
import { Icon } from '../../parts/icon.tsx'
import { RunTicks } from '../../parts/run-ticks.tsx'
import { MutedMark, StateIcon } from '../../parts/state-icon.tsx'
import { Since } from '../../parts/time.tsx'
import type { Column } from './columns.tsx'
import type { Group } from './group-rows.ts'

export interface RowActions {
  isSelected: boolean
  /** Below 800 px, rows have a checkbox only while some are selected. */
  hasCheckbox: boolean
  /** In the list of checks. */
  position: number
  onSelect(position: number, isRange: boolean): void
  onMenu(position: number, check: OverviewCheck, opener: HTMLElement): void
  /** Called with the click on its link. */
  onOpen(event: MouseEvent, path: string): void
}

interface Columns {
  shown: readonly Column[]
  hasTags: boolean
  nameOf(location: string): string
  onTag(tag: string): void
}

interface Place {
  /** Among all rows, also those of groups. */
  index: number
  /** In pixels from the first row. */
  offset: number
  height: number
}

interface CheckRowProps extends RowActions, Columns, Place {
  /** Absent until it is loaded. */
  check: OverviewCheck | undefined
  isNarrow: boolean
  /** The group has a row of its own. */
  isGrouped: boolean
}

/** Rendered only when its values change: scrolling and typing render the table many times. */
export const CheckRow = memo(function CheckRow(props: CheckRowProps) {
  const { check, isNarrow, index, isSelected } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={isSelected ? 'row selected' : 'row'}
      style={styleOf(props)}
    >
      {check === undefined ? (
        <div role="cell" className="skeleton" />
      ) : isNarrow ? (
        <NarrowCell {...props} check={check} />
      ) : (
        <WideCells {...props} check={check} />
      )}
    </div>
  )
})

function styleOf({ offset, height }: Place) {
  return { top: offset, height }
}

type Cells = RowActions & Pick<CheckRowProps, 'isGrouped'> & { check: OverviewCheck }

function WideCells({ check, shown, hasTags, isGrouped, nameOf, onTag, ...actions }: Cells & Columns) {
  return (
    <>
      <div role="cell">
        <SelectBox check={check} {...actions} />
      </div>
      <div role="cell" className="name-cell">
        <NameLink check={check} isGrouped={isGrouped} onOpen={actions.onOpen} />
        {check.muted && <MutedMark until={check.mutedUntil} />}
      </div>
      {shown.map(({ id, isNumber, cell }) => (
        <div key={id} role="cell" className={isNumber ? 'num' : undefined}>
          {cell(check, nameOf)}
        </div>
      ))}
      {hasTags && (
        <div role="cell" className="tags-cell">
          {check.tags.map((tag, position) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: the next check in this row keeps the elements
              key={position}
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
      <div role="cell">
        <MenuButton check={check} {...actions} />
      </div>
    </>
  )
}

/** Two lines: state, name, since; reason, last runs. */
function NarrowCell({ check, isGrouped, ...actions }: Cells) {
  return (
    <div role="cell" className="narrow-cell">
      {actions.hasCheckbox ? <SelectBox check={check} {...actions} /> : <StateIcon state={check.state} />}
      <span className="unseen">{stateLabels[check.state]}</span>
      <span className="name-cell">
        <NameLink check={check} isGrouped={isGrouped} onOpen={actions.onOpen} />
        {check.muted && <MutedMark until={check.mutedUntil} />}
      </span>
      <span className="muted-text">
        <Since at={check.since} />
      </span>
      <MenuButton check={check} {...actions} />
      <span className="cut muted-text second">{check.reason}</span>
      <RunTicks runs={check.runs} />
    </div>
  )
}

function SelectBox({ check, isSelected, position, onSelect }: RowActions & { check: OverviewCheck }) {
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={`Select ${check.name}`}
      checked={isSelected}
      readOnly
      // Only clicks have the shift key; the space key clicks too.
      onClick={({ shiftKey }) => onSelect(position, shiftKey)}
    />
  )
}

function MenuButton({ check, position, onMenu }: RowActions & { check: OverviewCheck }) {
  return (
    <button
      type="button"
      className="button icon-only row-menu"
      aria-label={`Actions for ${check.name}`}
      aria-haspopup="menu"
      onClick={({ currentTarget }) => onMenu(position, check, currentTarget)}
    >
      <Icon name="more" />
    </button>
  )
}

/** Not the link of the router, which listens to the address in each row. */
function NameLink({ check, isGrouped, onOpen }: Pick<Cells, 'check' | 'isGrouped' | 'onOpen'>) {
  const path = `/checks/${check.id}`
  return (
    <a href={basePath + path} className="cut" title={check.name} onClick={(event) => onOpen(event, path)}>
      {check.groupName && !isGrouped && <span className="prefix">{check.groupName} / </span>}
      {check.name}
    </a>
  )
}

interface GroupRowProps extends Place {
  group: Group
  isCollapsed: boolean
  onToggle(group: Group): void
}

export function GroupRow({ group, isCollapsed, onToggle, ...place }: GroupRowProps) {
  return (
    <div
      role="row"
      aria-rowindex={place.index + 2}
      data-index={place.index}
      className="row group-row"
      style={styleOf(place)}
    >
      <div role="cell" className="group-cell">
        <button type="button" aria-expanded={!isCollapsed} onClick={() => onToggle(group)}>
          <Icon name={isCollapsed ? 'right' : 'down'} />
          <span className="cut">{group.name ?? 'Without a group'}</span>
        </button>
        <span className="muted-text">{formatNumberOf(group.total, 'check')}</span>
        <span className="group-states">
          {states.map((state) =>
            group.counts[state] === 0 || state === 'passing' ? null : (
              <span key={state} className={`state ${state}`} title={stateLabels[state]}>
                <StateIcon state={state} />
                <span className="unseen">{stateLabels[state]}</span>
                {formatCount(group.counts[state])}
              </span>
            ),
          )}
        </span>
      </div>
    </div>
  )
}
