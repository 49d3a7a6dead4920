import { changePreferences, preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { columns } from './columns.tsx'
import { toggle } from './filters.ts'

export function ColumnMenu() {
  const { hiddenColumns } = useStore(preferences)
  const entries = [...columns.map(({ id, label }) => ({ id, label })), { id: 'tags', label: 'Tags' }].map(
    ({ id, label }) => ({
      ...{ id, label, text: label, isChecked: !hiddenColumns.includes(id) },
      onAction: () => changePreferences({ hiddenColumns: toggle(hiddenColumns, id) }),
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
