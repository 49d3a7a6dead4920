import { type FormEvent, useState } from 'react'
import { CallError, call } from '../api/call.ts'
import type { SignIn } from '../api/types.ts'
import { ActionButton } from './button.tsx'
import { Field } from './field.tsx'
import { OtherWays } from './other-ways.tsx'
import { SecondStep } from './second-step.tsx'
import { reasonOf } from './states.tsx'

interface SignInFormProps {
  email?: string
  /** Where to go after the identity provider. */
  next: string
  onSignedIn(signIn: SignIn): void
}

export function SignInForm({ email = '', next, onSignedIn }: SignInFormProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      const body = { email: String(form.get('email')), password: String(form.get('password')) }
      const start = await call('POST /v1/sign-in', { body })
      if ('secondFactor' in start) setToken(start.secondFactor.token)
      else onSignedIn(start)
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  if (token !== null)
    return (
      <SecondStep
        token={token}
        onSignedIn={onSignedIn}
        onRestart={(reason) => {
          setToken(null)
          setProblem(reason)
        }}
      />
    )
  return (
    <>
      <form className="form" onSubmit={submit}>
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={email}
          autoFocus={email === ''}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          autoFocus={email !== ''}
        />
        {problem && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <ActionButton type="submit" look="primary" isPending={isBusy}>
          Sign in
        </ActionButton>
      </form>
      <OtherWays next={next} onSignedIn={onSignedIn} />
    </>
  )
}

function problemOf(error: unknown): string {
  if (!(error instanceof CallError)) return 'Couldn’t sign in: the server’s response can’t be read.'
  if (error.status === 401) return 'Email and password don’t match.'
  if (error.status === 429) return `Too many attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.`
  return `Couldn’t sign in: ${reasonOf(error)}`
}
