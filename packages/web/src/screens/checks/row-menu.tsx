// The menu of one row. Rows only have a button: a menu in each of them would slow down scrolling.
import { useRef } from 'react'
import { Popover } from 'react-aria-components'
import type { OverviewCheck } from '../../api/types.ts'
import { useCheckMenu } from '../../parts/check-actions.tsx'
import { EntryMenu } from '../../parts/pick-menu.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface RowMenuProps {
  check: OverviewCheck
  /** The button that opened it. */
  opener: HTMLElement
  isSelected: boolean
  onSelect(): void
  onClose(): void
}

export function RowMenu({ check, opener, isSelected, onSelect, onClose }: RowMenuProps) {
  const trigger = useRef<HTMLElement>(opener)
  trigger.current = opener
  const fail = (error: Error) => showOutcome(`${check.name}: ${reasonOf(error)}`)
  const { run, runDenial, entries } = useCheckMenu(check, fail)
  const runNow = {
    ...{ id: 'run', label: 'Run now', text: 'Run now', denial: runDenial },
    onAction() {
      showOutcome(`${check.name} is running.`)
      run.mutateAsync().catch(fail)
    },
  }
  const select = {
    ...{ id: 'select', label: isSelected ? 'Deselect' : 'Select', text: 'Select', startsSection: true },
    onAction: onSelect,
  }
  const [open, ...rest] = entries
  const all = [
    ...(open === undefined ? [] : [open]),
    ...(check.checkType === 'HEARTBEAT' ? [] : [runNow]),
    ...rest,
    select,
  ]
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      placement="bottom end"
      className="popover"
      aria-label={`Actions for ${check.name}`}
    >
      <EntryMenu label={`Actions for ${check.name}`} entries={all} onClose={onClose} />
    </Popover>
  )
}
