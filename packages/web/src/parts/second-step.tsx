// The second step of a sign-in: a code of the authenticator app, or a recovery code.
import { type FormEvent, useState } from 'react'
import { CallError, call } from '../api/call.ts'
import type { SignIn } from '../api/types.ts'
import { ActionButton } from './button.tsx'
import { CodeField } from './code-field.tsx'
import { reasonOf } from './states.tsx'

interface SecondStepProps {
  token: string
  onSignedIn(signIn: SignIn): void
  /** Back to the first step, with the reason if the server asks for it. */
  onRestart(reason: string | null): void
}

export function SecondStep({ token, onSignedIn, onRestart }: SecondStepProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    setBusy(true)
    setProblem(null)
    try {
      onSignedIn(await call('POST /v1/sign-in/second-factor', { body: { token, code } }))
    } catch (error) {
      if (error instanceof CallError && error.attributes.code === 'second_factor_expired')
        onRestart('That took longer than five minutes. Sign in again.')
      else setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <CodeField error={problem} autoFocus />
      <div className="actions">
        <ActionButton type="submit" look="primary" isPending={isBusy}>
          Continue
        </ActionButton>
        <ActionButton look="quiet" onPress={() => onRestart(null)}>
          Back
        </ActionButton>
      </div>
    </form>
  )
}

function problemOf(error: unknown): string {
  if (!(error instanceof CallError)) return 'Couldn’t sign in: the server’s response can’t be read.'
  if (error.status === 401 || error.status === 400)
    return 'That code is wrong, or was used already. Enter another one.'
  if (error.status === 429) return `Too many attempts. Try again in ${error.retryAfterSeconds ?? 60} seconds.`
  return `Couldn’t sign in: ${reasonOf(error)}`
}
