// Changing passwords, factors, roles and keys asks people to prove who they are, ten minutes after they last did.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CallError, call, type ResponseTo } from '../api/call.ts'
import { PasskeyCanceled, passkeyDenial, signWithPasskey } from '../api/passkeys.ts'
import { currentPath, goToProvider } from '../api/single-sign-on.ts'
import { createStore, useStore } from '../core/store.ts'
import { ActionButton } from '../parts/button.tsx'
import { CodeField } from '../parts/code-field.tsx'
import { Overlay } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { useSignInWays } from '../parts/other-ways.tsx'
import { Failure, FirstLoad, reasonOf } from '../parts/states.tsx'

/** The action that waits. */
const waiting = createStore<{ confirm(): void; cancel(): void } | null>(null)

export class ConfirmationCanceled extends Error {
  constructor() {
    super('It was canceled.')
    this.name = 'ConfirmationCanceled'
  }
}

/** Does it; if the server wants to know who it is, asks the user and does it again. */
export async function withConfirmation<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof CallError) || error.attributes.code !== 'confirmation_required') throw error
    await new Promise<void>((confirm, cancel) =>
      waiting.set({ confirm, cancel: () => cancel(new ConfirmationCanceled()) }),
    )
    return action()
  }
}

export function ConfirmationDialog() {
  const action = useStore(waiting)
  return (
    <Overlay
      title="Confirm that it’s you"
      isOpen={action !== null}
      onClose={() => {
        action?.cancel()
        waiting.set(null)
      }}
    >
      <p>This change needs it, because you signed in more than ten minutes ago.</p>
      <Proof
        onDone={() => {
          action?.confirm()
          waiting.set(null)
        }}
      />
    </Overlay>
  )
}

type Factors = ResponseTo<'GET /v1/users/me/factors'>
type ConfirmBody = Parameters<typeof call<'POST /v1/sign-in/confirmation'>>[1]

function Proof({ onDone }: { onDone(): void }) {
  const ways = useSignInWays().data
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: ({ signal }) => call('GET /v1/users/me/factors', {}, signal),
  })
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const confirm = async (body: NonNullable<ConfirmBody>['body']) => {
    await call('POST /v1/sign-in/confirmation', { body })
    onDone()
  }
  if (factors.error) return <Failure what="Your factors" error={factors.error} onRetry={factors.refetch} />
  if (factors.data === undefined) return <FirstLoad rows={2} />
  const { hasPassword, totp, passkeys, identities } = factors.data
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => {
      const value = form.get(name)
      return value === null ? {} : { [name]: String(value) }
    }
    return attempt(() => confirm({ ...text('password'), ...text('code') }))
  }
  const hasPasskey = passkeys.length > 0 && ways !== undefined && passkeyDenial(ways) === null
  const provider = hasPassword || identities.length === 0 ? null : (ways?.singleSignOn ?? null)
  const problems = problemsOf(error, factors.data)
  return (
    <form className="form" onSubmit={submit} noValidate>
      {hasPassword && (
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={problems.password}
          autoFocus
        />
      )}
      {totp && <CodeField error={problems.code} autoFocus={!hasPassword} />}
      {problems.other && (
        <p className="field-error" role="alert">
          {problems.other}
        </p>
      )}
      <div className="actions">
        {(hasPassword || totp) && (
          <ActionButton type="submit" look="primary" isPending={isBusy}>
            Continue
          </ActionButton>
        )}
        {hasPasskey && (
          <ActionButton
            isDisabled={isBusy}
            onPress={() => attempt(async () => confirm({ passkey: await signWithPasskey() }))}
          >
            Use a passkey
          </ActionButton>
        )}
        {provider && (
          <ActionButton
            isDisabled={isBusy}
            onPress={() => attempt(() => goToProvider({ next: currentPath(), isConfirmation: true }))}
          >
            Sign in again with {provider.label}
          </ActionButton>
        )}
      </div>
    </form>
  )
}

interface Problems {
  password: string | null
  code: string | null
  other: string | null
}

function problemsOf(error: unknown, { hasPassword, totp }: Factors): Problems {
  const none = { password: null, code: null, other: null }
  if (error === null) return none
  if (error instanceof PasskeyCanceled) return { ...none, other: 'No passkey was used.' }
  if (!(error instanceof CallError)) return { ...none, other: String(error) }
  const { password, code, passkey } = error.attributes
  if (password !== undefined && hasPassword) return { ...none, password: 'That isn’t your password.' }
  if (code !== undefined && totp) return { ...none, code: 'That code is wrong, or was used already.' }
  if (passkey !== undefined) return { ...none, other: 'That passkey isn’t yours, or it took too long.' }
  if (error.status === 429)
    return { ...none, other: `Too many attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.` }
  return { ...none, other: reasonOf(error) }
}
