// Filters beside each other; below 800 px they open as a sheet.
import './filters.css'
import { type ReactNode, useState } from 'react'
import { useIsNarrow } from '../core/use-is-narrow.ts'
import { ActionButton } from './button.tsx'
import { Overlay } from './dialog.tsx'
import { Icon } from './icon.tsx'

export function FilterSheet({ children }: { children: ReactNode }) {
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(false)
  if (!isNarrow) return children
  return (
    <>
      <ActionButton onPress={() => setOpen(true)}>
        <Icon name="filter" />
        Filters
      </ActionButton>
      <Overlay title="Filters" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="filter-bar">{children}</div>
      </Overlay>
    </>
  )
}
