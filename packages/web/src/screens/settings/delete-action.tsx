// A button that asks, then deletes, then says so.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface DeleteActionProps {
  verb?: string
  /** `the variable BASE_URL`. */
  what: string
  /** `Deleted the variable BASE_URL.` */
  outcome: string
  denial: string | null
  onDelete(): Promise<unknown>
  /** The list that changes. */
  queryKey: readonly unknown[]
  onDeleted?: () => void
  /** What else is affected. */
  children?: ReactNode
}

export function DeleteAction(props: DeleteActionProps) {
  const { verb = 'Delete', what, outcome, denial, onDelete, queryKey, onDeleted, children } = props
  const [isOpen, setOpen] = useState(false)
  const queries = useQueryClient()
  return (
    <>
      <ActionButton look="quiet" denial={denial} aria-label={`${verb} ${what}`} onPress={() => setOpen(true)}>
        {verb}
      </ActionButton>
      {isOpen && (
        <DeleteDialog
          verb={verb}
          what={what}
          isOpen
          onClose={() => setOpen(false)}
          onDelete={onDelete}
          onDeleted={() => {
            setOpen(false)
            showOutcome(outcome)
            void queries.invalidateQueries({ queryKey })
            onDeleted?.()
          }}
        >
          {children}
        </DeleteDialog>
      )}
    </>
  )
}
