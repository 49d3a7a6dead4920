// The link that confirms a new email, for the user who asked for it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { sessionEnded } from '../../api/connection.ts'
import { signInKey, useSignIn } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { SignInForm } from '../../parts/sign-in-form.tsx'
import { FirstLoad, reasonOf } from '../../parts/states.tsx'
import { PublicFrame, takeToken } from './public-frame.tsx'

export function Screen() {
  const [token] = useState(takeToken)
  const { data: signIn, isPending } = useSignIn()
  const queries = useQueryClient()
  const confirm = useMutation({
    mutationFn: () => call('POST /v1/users/me/email/confirmation', { body: { token } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: signInKey }),
  })
  return (
    <PublicFrame title="Confirm your new email">
      {token === '' ? (
        <p>Open the link from the email.</p>
      ) : isPending ? (
        <FirstLoad rows={2} />
      ) : confirm.isSuccess ? (
        <p role="status">
          Your email is {confirm.data.email} now. <Link href="/">Open the app</Link>
        </p>
      ) : signIn ? (
        <>
          <p>
            You are signed in as {signIn.user.email}. From then on, you sign in with the address that got this
            link.
          </p>
          {confirm.error && (
            <p className="field-error" role="alert">
              {reasonOf(confirm.error)}
            </p>
          )}
          <div className="actions">
            <ActionButton look="primary" isPending={confirm.isPending} onPress={() => confirm.mutate()}>
              Confirm
            </ActionButton>
          </div>
        </>
      ) : (
        <>
          <p>Sign in first, with the email that you have used so far.</p>
          <SignInForm
            next={`/email#${token}`}
            onSignedIn={(next) => {
              queries.setQueryData(signInKey, next)
              sessionEnded.set(false)
            }}
          />
        </>
      )}
    </PublicFrame>
  )
}
