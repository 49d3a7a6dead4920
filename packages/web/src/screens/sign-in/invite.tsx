// The link of an invitation: a new user chooses name and password, someone who has a user enters their own password.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { CallError, call, type ResponseTo } from '../../api/call.ts'
import { roleNames, useSignIn } from '../../api/session.tsx'
import type { SignIn } from '../../api/types.ts'
import { Field } from '../../parts/field.tsx'
import { OtherWays } from '../../parts/other-ways.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { PasswordForm } from './password-form.tsx'
import { PublicFrame, takeToken } from './public-frame.tsx'

type Invitation = ResponseTo<'GET /v1/invitations/{token}'>

export function Screen() {
  const [token] = useState(takeToken)
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('GET /v1/invitations/{token}', { params: { token } }, signal),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data !== undefined) return <Accept token={token} invitation={data} />
  const isGone = token === '' || (error instanceof CallError && error.status === 404)
  return (
    <PublicFrame title="Invitation">
      {isGone ? (
        <>
          <p>
            This link was used or withdrawn, or is older than 24 hours. Ask the person who invited you for
            another one.
          </p>
          <p className="hint">
            <Link href="/login">Sign in</Link>
          </p>
        </>
      ) : error ? (
        <Failure what="The invitation" error={error} onRetry={refetch} />
      ) : (
        <FirstLoad rows={3} />
      )}
    </PublicFrame>
  )
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const { accountName, email, role, isNewUser } = invitation
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const signIn = useSignIn().data
  const isNowMember = ({ accounts }: SignIn) => {
    // The app opens the account that people have just joined.
    const joined = accounts.find(({ name }) => name === accountName)
    if (joined) localStorage.setItem('vedette.account', joined.id)
    showOutcome(`You are a member of ${accountName} now.`)
    navigate('/', { replace: true })
  }
  const isOther = signIn && signIn.user.email.toLowerCase() !== email.toLowerCase()
  return (
    <PublicFrame title={`Join ${accountName}`}>
      <p>
        {email} is invited to {accountName}, with the role “{roleNames[role]}”.
      </p>
      {isOther && (
        <p role="note">
          You are signed in as {signIn.user.email}. Accepting signs you in as {email} instead.
        </p>
      )}
      {!isNewUser && <p>You have a user here already: enter its password.</p>}
      <PasswordForm
        button="Accept"
        isNewPassword={isNewUser}
        fields={(errorOf) =>
          isNewUser && (
            <Field label="Name" name="name" autoComplete="name" error={errorOf('name')} autoFocus />
          )
        }
        send={async (values) => {
          const name = isNewUser ? String(values.get('name')) : email
          const body = { name, password: String(values.get('password')) }
          const accepted = await call('POST /v1/invitations/{token}', { params: { token }, body })
          queries.removeQueries()
          return accepted
        }}
        onDone={isNowMember}
      />
      <OtherWays next="/" invitationToken={token} onSignedIn={isNowMember} />
    </PublicFrame>
  )
}
