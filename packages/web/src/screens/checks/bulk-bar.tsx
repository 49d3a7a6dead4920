// What can be done with the selected checks. Below 800 px the actions open as a sheet.
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { formatCount } from '../../core/format.ts'
import { muteChoices } from '../../core/mute-times.ts'
import { useIsNarrow } from '../../core/use-is-narrow.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type MenuEntry, PickMenu } from '../../parts/pick-menu.tsx'
import { useNow, useTimeOptions } from '../../parts/time.tsx'
import type { Deed } from './deeds.ts'
import { type Filters, filterOf } from './filters.ts'
import { countSelected, nothingSelected, type Selection } from './selection.ts'

const BulkDialog = lazy(async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog }))

interface BulkBarProps {
  /** At least one check. */
  selection: Selection
  filters: Filters
  /** How many checks match the filters. */
  matching: number
  onSelect(selection: Selection): void
}

export function BulkBar({ selection, filters, matching, onSelect }: BulkBarProps) {
  const isNarrow = useIsNarrow()
  const [deed, setDeed] = useState<Deed | null>(null)
  const count = countSelected(selection, matching)
  const entries = useEntries(setDeed)
  const [first, second, third] = entries
  const quick = [first, second, third].filter((entry) => entry !== undefined)
  return (
    <section className="selection-bar" aria-label="Selected checks">
      <p role="status">
        <strong>{formatCount(count)}</strong> selected
      </p>
      {selection.kind === 'some' && count < matching && (
        <ActionButton look="quiet" onPress={() => onSelect({ kind: 'all' })}>
          Select all {formatCount(matching)} matching
        </ActionButton>
      )}
      {!isNarrow &&
        quick.map(({ id, label, denial = null, onAction }) => (
          <ActionButton key={id} onPress={onAction} denial={denial}>
            {label}
          </ActionButton>
        ))}
      <PickMenu
        label="Actions for the selected checks"
        look="button plain"
        entries={isNarrow ? entries : entries.slice(quick.length)}
        button={
          <>
            {isNarrow ? 'Actions' : 'More'}
            <Icon name="up" />
          </>
        }
      />
      <ActionButton look="quiet" onPress={() => onSelect(nothingSelected)}>
        Clear selection
      </ActionButton>
      {deed && (
        <Suspense>
          <BulkDialog
            deed={deed}
            count={count}
            selection={
              selection.kind === 'all' ? { filter: filterOf(filters) } : { checkIds: [...selection.ids] }
            }
            onClose={() => setDeed(null)}
            onDone={() => {
              setDeed(null)
              onSelect(nothingSelected)
            }}
          />
        </Suspense>
      )}
    </section>
  )
}

function useEntries(start: (deed: Deed) => void): MenuEntry[] {
  const { denialOf } = useSession()
  const options = useTimeOptions()
  const now = useNow()
  const denial = denialOf('READ_WRITE')
  const entry = (label: string, deed: Deed, more: Partial<MenuEntry> = {}): MenuEntry => ({
    ...{ id: label, label, text: label, denial, onAction: () => start(deed), ...more },
  })
  const [hour, ...others] = muteChoices(now, options)
  return [
    ...(hour === undefined ? [] : [entry(hour.label, { action: 'mute', mutedUntil: hour.until })]),
    entry('Pause', { action: 'pause' }),
    entry('Tag…', { action: 'tag' }),
    ...others.map(({ label, until }, index) =>
      entry(label, { action: 'mute', mutedUntil: until }, { startsSection: index === 0 }),
    ),
    entry('Unmute', { action: 'unmute' }),
    entry('Resume', { action: 'resume' }, { startsSection: true }),
    entry('Run now', { action: 'run' }, { denial: denialOf('READ_RUN') }),
    entry('Move to a group…', { action: 'move' }),
    entry('Export as code', { action: 'export' }, { denial: null, startsSection: true }),
    entry('Delete…', { action: 'delete' }, { startsSection: true }),
  ]
}
