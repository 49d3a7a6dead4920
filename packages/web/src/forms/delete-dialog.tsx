import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../parts/button.tsx'
import { Overlay } from '../parts/dialog.tsx'
import { reasonOf } from '../parts/states.tsx'

interface DeleteDialogProps {
  /** Absent: `Delete`. */
  verb?: string
  /** `the check “Shop”`. */
  what: string
  isOpen: boolean
  onClose: () => void
  onDelete: () => Promise<unknown>
  onDeleted: () => void
  /** What must be typed first, for what can't be made again: a name, or a count. */
  typed?: string
  /** What else is affected. */
  children?: ReactNode
}

/** Says what is lost before it is. */
export function DeleteDialog({
  verb = 'Delete',
  what,
  isOpen,
  onClose,
  onDelete,
  onDeleted,
  typed,
  children,
}: DeleteDialogProps) {
  const [text, setText] = useState('')
  const deletion = useMutation({ mutationFn: onDelete, onSuccess: onDeleted })
  return (
    <Overlay title={`${verb} ${what}?`} isOpen={isOpen} onClose={onClose}>
      {children}
      {typed !== undefined && (
        <label className="field">
          Type {typed} to confirm
          <input value={text} onChange={({ target }) => setText(target.value)} autoComplete="off" />
        </label>
      )}
      {deletion.error && (
        <p className="field-error" role="alert">
          That didn’t work: {reasonOf(deletion.error)}
        </p>
      )}
      <div className="actions">
        <ActionButton
          look="danger"
          isDisabled={typed !== undefined && text.trim() !== typed}
          isPending={deletion.isPending}
          onPress={() => deletion.mutate()}
        >
          {verb}
        </ActionButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Overlay>
  )
}
