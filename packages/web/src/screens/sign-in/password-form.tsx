// A form that ends with a password: set-up, reset and invitation.
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { CallError } from '../../api/call.ts'
import { sessionEnded } from '../../api/connection.ts'
import { signInKey } from '../../api/session.tsx'
import type { SignIn, SignInStart } from '../../api/types.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { SecondStep } from '../../parts/second-step.tsx'
import { reasonOf } from '../../parts/states.tsx'

interface PasswordFormProps {
  button: string
  /** False: the password that the person has. */
  isNewPassword?: boolean
  /** Fields before the password. */
  fields?: (errorOf: (name: string) => string | null) => ReactNode
  send(values: FormData): Promise<SignInStart>
  onDone(signIn: SignIn): void
}

export function PasswordForm({ button, isNewPassword = true, fields, send, onDone }: PasswordFormProps) {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  const queries = useQueryClient()
  const finish = (signIn: SignIn) => {
    queries.setQueryData(signInKey, signIn)
    sessionEnded.set(false)
    onDone(signIn)
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const start = await send(new FormData(event.currentTarget))
      if ('secondFactor' in start) setToken(start.secondFactor.token)
      else finish(start)
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
    } finally {
      setBusy(false)
    }
  }
  // The password is set; without the code they sign in anew.
  if (token !== null)
    return (
      <SecondStep token={token} onSignedIn={finish} onRestart={() => location.assign(`${basePath}/login`)} />
    )
  const attributes = error instanceof CallError ? error.attributes : {}
  const errorOf = (name: string) =>
    attributes[name] === undefined ? null : `The ${name} ${String(attributes[name])}.`
  const isAboutFields = ['name', 'email', 'password'].some((name) => errorOf(name) !== null)
  return (
    <form className="form" onSubmit={submit}>
      {fields?.(errorOf)}
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete={isNewPassword ? 'new-password' : 'current-password'}
        {...(isNewPassword ? { description: 'At least 10 characters. A sentence is fine.' } : {})}
        error={errorOf('password')}
      />
      {error && !isAboutFields && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
      <ActionButton type="submit" look="primary" isPending={isBusy}>
        {button}
      </ActionButton>
    </form>
  )
}
