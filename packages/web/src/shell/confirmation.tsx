// Changing passwords, factors, roles and keys asks for the password again, ten minutes after it was last entered.
import { type FormEvent, useState } from 'react'
import { CallError, call } from '../api/call.ts'
import { createStore, useStore } from '../core/store.ts'
import { ActionButton } from '../parts/button.tsx'
import { Overlay } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { reasonOf } from '../parts/states.tsx'

/** The action that waits. */
const waiting = createStore<{ confirm(): void; cancel(): void } | null>(null)

/** Does it; if the server asks for the password, asks the user and does it again. */
export async function withConfirmation<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof CallError) || error.attributes.code !== 'confirmation_required') throw error
    await new Promise<void>((confirm, cancel) =>
      waiting.set({ confirm, cancel: () => cancel(new Error('It was canceled.')) }),
    )
    return action()
  }
}

export function ConfirmationDialog() {
  const action = useStore(waiting)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setProblem(null)
    waiting.set(null)
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    setBusy(true)
    try {
      await call('POST /v1/sign-in/confirmation', { body: { password } })
      action?.confirm()
      close()
    } catch (error) {
      setProblem(
        error instanceof CallError && error.status === 401
          ? 'That isn’t your password.'
          : error instanceof Error
            ? reasonOf(error)
            : String(error),
      )
    } finally {
      setBusy(false)
    }
  }
  return (
    <Overlay
      title="Enter your password"
      isOpen={action !== null}
      onClose={() => {
        action?.cancel()
        close()
      }}
    >
      <p>This change needs it, because you signed in more than ten minutes ago.</p>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={problem}
          autoFocus
        />
        <ActionButton type="submit" look="primary" isPending={isBusy}>
          Continue
        </ActionButton>
      </form>
    </Overlay>
  )
}
