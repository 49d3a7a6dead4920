// A forgotten password: first the email, then a new password by the link.
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { PasswordForm } from './password-form.tsx'
import { PublicFrame, takeToken } from './public-frame.tsx'

export function Screen() {
  const [token] = useState(takeToken)
  const [, navigate] = useLocation()
  return (
    <PublicFrame title={token === '' ? 'Reset your password' : 'Choose a new password'}>
      {token === '' ? (
        <RequestForm />
      ) : (
        <PasswordForm
          button="Set the password"
          send={(values) =>
            call('POST /v1/password-resets/{token}', {
              params: { token },
              body: { password: String(values.get('password')) },
            })
          }
          onDone={() => navigate('/')}
        />
      )}
      <p className="hint">
        <Link href="/login">Back to sign in</Link>
      </p>
    </PublicFrame>
  )
}

function RequestForm() {
  const [state, setState] = useState<'open' | 'busy' | 'sent'>('open')
  const [problem, setProblem] = useState<string | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email'))
    setState('busy')
    setProblem(null)
    try {
      await call('POST /v1/password-resets', { body: { email } })
      setState('sent')
    } catch (error) {
      setProblem(error instanceof Error ? reasonOf(error) : String(error))
      setState('open')
    }
  }
  if (state === 'sent')
    return (
      <p role="status">
        If there is a user with this email, a link is on its way. Without a mail server,{' '}
        <code>npx vedette users reset EMAIL</code> prints one on the server’s machine.
      </p>
    )
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Email" name="email" type="email" autoComplete="username" error={problem} autoFocus />
      <ActionButton type="submit" look="primary" isPending={state === 'busy'}>
        Send the link
      </ActionButton>
    </form>
  )
}
