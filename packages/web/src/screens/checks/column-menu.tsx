import { changePreferences, preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { columnIds, columns } from './columns.tsx'
import { type Filters, toggle } from './filters.ts'

/** A view has its own columns; otherwise those of the browser apply. */
export function useHiddenColumns(shown: Filters['columns']): readonly string[] {
  const { hiddenColumns } = useStore(preferences)
  return shown === null ? hiddenColumns : columnIds.filter((id) => !shown.includes(id))
}

interface ColumnMenuProps {
  /** Those of the view. */
  columns: Filters['columns']
  onChange(change: Partial<Filters>): void
}

export function ColumnMenu({ columns: shown, onChange }: ColumnMenuProps) {
  const hidden = useHiddenColumns(shown)
  const change = (id: string) => {
    const next = toggle(hidden, id)
    if (shown === null) changePreferences({ hiddenColumns: next })
    else onChange({ columns: columnIds.filter((one) => !next.includes(one)) })
  }
  const entries = [...columns.map(({ id, label }) => ({ id, label })), { id: 'tags', label: 'Tags' }].map(
    ({ id, label }) => ({
      ...{ id, label, text: label, isChecked: !hidden.includes(id) },
      onAction: () => change(id),
    }),
  )
  return (
    <div className="wide-screen">
      <PickMenu
        label="Columns"
        entries={entries}
        button={
          <>
            <Icon name="columns" />
            Columns
          </>
        }
      />
    </div>
  )
}
