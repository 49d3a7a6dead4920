// A short form in a dialog: creates one thing.
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { CallError } from '../../api/call.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { reasonOf } from '../../parts/states.tsx'

interface DialogFormProps {
  title: string
  /** Of the button. */
  action: string
  onClose(): void
  send(values: FormData): Promise<unknown>
  children(errorOf: (name: string) => string | null): ReactNode
}

export function DialogForm({ title, action, onClose, send, children }: DialogFormProps) {
  const [values, setValues] = useState<FormData | null>(null)
  const mutation = useMutation({ mutationFn: send })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const entered = new FormData(event.currentTarget)
    setValues(entered)
    mutation.mutate(entered)
  }
  const { error } = mutation
  const attributes = error instanceof CallError && error.status !== 403 ? error.attributes : {}
  const errorOf = (name: string) => {
    const message = attributes[name]
    return typeof message === 'string' ? `It ${message}.` : null
  }
  const isAboutField = Object.keys(attributes).some((name) => values?.has(name))
  return (
    <Overlay title={title} isOpen onClose={onClose}>
      <form className="dialog-form" onSubmit={submit} noValidate>
        {children(errorOf)}
        {error && !isAboutField && (
          <p className="field-error" role="alert">
            That didn’t work: {reasonOf(error)}
          </p>
        )}
        <div className="actions">
          <ActionButton type="submit" look="primary" isPending={mutation.isPending}>
            {action}
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}
