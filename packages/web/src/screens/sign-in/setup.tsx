// The first visit: the owner sets a password by the printed link, then watches a first URL.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { SessionProvider, useSignIn } from '../../api/session.tsx'
import { Field } from '../../parts/field.tsx'
import { FirstLoad } from '../../parts/states.tsx'
import { FirstCheck } from './first-check.tsx'
import { PasswordForm } from './password-form.tsx'
import { PublicFrame, takeToken } from './public-frame.tsx'

export function Screen() {
  const [token] = useState(takeToken)
  const [isOwner, setOwner] = useState(false)
  const signIn = useSignIn().data
  const [, navigate] = useLocation()
  if (isOwner && signIn)
    return (
      <SessionProvider signIn={signIn}>
        <PublicFrame title="Watch your first URL">
          <FirstCheck onSkip={() => navigate('/')} />
        </PublicFrame>
      </SessionProvider>
    )
  return (
    <PublicFrame title="Set up Vedette">
      {token === '' ? (
        <WithoutToken />
      ) : (
        <PasswordForm
          button="Create the owner"
          fields={(errorOf) => (
            <>
              <Field label="Name" name="name" autoComplete="name" error={errorOf('name')} autoFocus />
              <Field
                label="Email"
                name="email"
                type="email"
                autoComplete="username"
                error={errorOf('email')}
              />
            </>
          )}
          send={(values) => {
            const text = (name: string) => String(values.get(name))
            return call('POST /v1/setup', {
              body: { token, name: text('name'), email: text('email'), password: text('password') },
            })
          }}
          onDone={() => setOwner(true)}
        />
      )}
    </PublicFrame>
  )
}

function WithoutToken() {
  const { data } = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => call('GET /v1/setup', {}, signal),
  })
  if (data === undefined) return <FirstLoad rows={2} />
  if (data.isDone)
    return (
      <p>
        This server is set up already. <Link href="/login">Sign in</Link>
      </p>
    )
  return (
    <p>
      Open the link that <code>npm start</code> printed. On the server’s machine,{' '}
      <code>npx vedette setup-link</code> prints another one.
    </p>
  )
}
