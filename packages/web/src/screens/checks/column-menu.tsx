import { changePreferences, preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { columnIds, columns } from './columns.tsx'
import { type Filters, toggle } from './filters.ts'

/** A view has its own columns; otherwise those of the browser apply. */
export function useHiddenColumns({ columns: shown }: Filters): readonly string[] {
  const { hiddenColumns } = useStore(preferences)
  return shown === null ? hiddenColumns : columnIds.filter((id) => !shown.includes(id))
}

interface ColumnMenuProps {
  filters: Filters
  onChange(change: Partial<Filters>): void
}

export function ColumnMenu({ filters, onChange }: ColumnMenuProps) {
  const hidden = useHiddenColumns(filters)
  const change = (id: string) => {
    const next = toggle(hidden, id)
    if (filters.columns === null) changePreferences({ hiddenColumns: next })
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
