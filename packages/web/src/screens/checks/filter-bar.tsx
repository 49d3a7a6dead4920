// Text, states, types, locations and other filters. Below 800 px all but the text open as a sheet.
import { memo, type ReactNode, useMemo } from 'react'
import { useLocationNames } from '../../api/locations.ts'
import type { OverviewCheck, OverviewPage } from '../../api/types.ts'
import { formatCount } from '../../core/format.ts'
import { stateLabels, states, typeLabels } from '../../core/states.ts'
import { useAfterPaint } from '../../core/use-after-paint.ts'
import { useLatest } from '../../core/use-latest.ts'
import { ActionButton } from '../../parts/button.tsx'
import { FilterSheet } from '../../parts/filter-sheet.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { type Filters, isFiltered, noFilters, readFilters, toggle, writeFilters } from './filters.ts'

interface FilterBarProps {
  filters: Filters
  counts: OverviewPage['counts'] | null
  /** The rows that are loaded: their tags and locations can be chosen. */
  rows: readonly OverviewCheck[]
  onChange(change: Partial<Filters>): void
  /** Beside the filters. */
  children?: ReactNode
}

export function FilterBar(props: FilterBarProps) {
  const { filters, onChange } = props
  // The rows are shown first, then what can be chosen among them.
  const [counts, rows] = [useAfterPaint(props.counts), useAfterPaint(props.rows)]
  const chosen = writeFilters({ ...filters, query: '' }).toString()
  const choices = useMemo(() => readFilters(new URLSearchParams(chosen)), [chosen])
  const change = useLatest(onChange)
  return (
    <div className="filter-bar">
      <TextFilter
        label="Filter by name, group, tag or host"
        value={filters.query}
        onChange={(query) => onChange({ query })}
      />
      <FilterSheet>
        <Choices filters={choices} counts={counts} rows={rows} onChange={change} />
      </FilterSheet>
      {props.children}
      {isFiltered(filters) && <ClearButton onChange={change} />}
    </div>
  )
}

const ClearButton = memo(function ClearButton({ onChange }: Pick<FilterBarProps, 'onChange'>) {
  return (
    <ActionButton look="quiet" onPress={() => onChange(noFilters)}>
      Clear filters
    </ActionButton>
  )
})

const Choices = memo(function Choices({ filters, counts, rows, onChange }: FilterBarProps) {
  const nameOf = useLocationNames()
  const locations = unite(
    filters.location,
    rows.flatMap((row) => [...row.locations, ...row.privateLocations]),
  )
  const tags = unite(
    filters.tag,
    rows.flatMap((row) => row.tags),
  )
  const types = Object.entries(typeLabels).flatMap(([type, label]) => {
    const chosen =
      rows.find(({ checkType }) => checkType === type)?.checkType ?? filters.type.find((one) => one === type)
    return chosen === undefined ? [] : [{ value: chosen, label }]
  })
  return (
    <>
      <ChoiceMenu
        label="Type"
        options={types}
        chosen={filters.type}
        onToggle={(type) => onChange({ type: toggle(filters.type, type) })}
      />
      <ChoiceMenu
        label="Location"
        options={locations.map((value) => ({ value, label: nameOf(value) }))}
        chosen={filters.location}
        onToggle={(location) => onChange({ location: toggle(filters.location, location) })}
      />
      <ChoiceMenu
        label="Tag"
        options={tags.map((value) => ({ value, label: value }))}
        chosen={filters.tag}
        onToggle={(tag) => onChange({ tag: toggle(filters.tag, tag) })}
      />
      <fieldset className="chips">
        <legend className="unseen">State</legend>
        {states.map((state) => (
          <button
            key={state}
            type="button"
            className="chip"
            aria-pressed={filters.state.includes(state)}
            onClick={() => onChange({ state: toggle(filters.state, state) })}
          >
            <StateIcon state={state} />
            {stateLabels[state]}
            {counts && <span className="muted-text">{formatCount(counts[state])}</span>}
          </button>
        ))}
        <button
          type="button"
          className="chip"
          aria-pressed={filters.isMuted}
          onClick={() => onChange({ isMuted: !filters.isMuted })}
        >
          <Icon name="muted" />
          Muted
        </button>
      </fieldset>
    </>
  )
})

interface ChoiceMenuProps<T extends string> {
  label: string
  options: readonly { value: T; label: string }[]
  chosen: readonly T[]
  onToggle(value: T): void
}

export function ChoiceMenu<T extends string>({ label, options, chosen, onToggle }: ChoiceMenuProps<T>) {
  const entries = options.map(({ value, label: text }) => ({
    ...{ id: value, label: text, text, isChecked: chosen.includes(value) },
    onAction: () => onToggle(value),
  }))
  if (entries.length === 0) return null
  const summary = chosen.length === 0 ? label : `${label}: ${chosen.length}`
  return (
    <PickMenu
      label={summary}
      placement="bottom start"
      entries={entries}
      button={
        <>
          {summary}
          <Icon name="down" />
        </>
      }
    />
  )
}

export function unite(chosen: readonly string[], known: readonly string[]): string[] {
  return [...new Set([...chosen, ...known])].sort()
}
