// The ways to sign in besides the password, if the server has them.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError, call } from '../api/call.ts'
import { PasskeyCanceled, passkeyDenial, signWithPasskey } from '../api/passkeys.ts'
import { goToProvider } from '../api/single-sign-on.ts'
import type { SignIn } from '../api/types.ts'
import { ActionButton } from './button.tsx'
import { reasonOf } from './states.tsx'

interface OtherWaysProps {
  /** Where to go after the identity provider. */
  next: string
  invitationToken?: string
  onSignedIn(signIn: SignIn): void
}

export function useSignInWays() {
  return useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => call('GET /v1/sign-in/ways', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function OtherWays({ next, invitationToken, onSignedIn }: OtherWaysProps) {
  const ways = useSignInWays().data
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState<'passkey' | 'provider' | null>(null)
  if (ways === undefined) return null
  const hasPasskeys = invitationToken === undefined && passkeyDenial(ways) === null
  if (!hasPasskeys && ways.singleSignOn === null) return null
  const attempt = async (which: 'passkey' | 'provider', work: () => Promise<void>) => {
    setBusy(which)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(problemOf(error))
      setBusy(null)
    }
  }
  const usePasskey = () =>
    attempt('passkey', async () =>
      onSignedIn(await call('POST /v1/sign-in/passkey', { body: await signWithPasskey() })),
    )
  const useProvider = () =>
    attempt('provider', () =>
      goToProvider({ next, ...(invitationToken === undefined ? {} : { invitationToken }) }),
    )
  return (
    <div className="form">
      <p className="hint">Or without a password:</p>
      <div className="actions">
        {hasPasskeys && (
          <ActionButton onPress={usePasskey} isPending={busy === 'passkey'}>
            Use a passkey
          </ActionButton>
        )}
        {ways.singleSignOn && (
          <ActionButton onPress={useProvider} isPending={busy === 'provider'}>
            Sign in with {ways.singleSignOn.label}
          </ActionButton>
        )}
      </div>
      {problem && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function problemOf(error: unknown): string {
  if (error instanceof PasskeyCanceled)
    return 'No passkey was used. Choose one in the dialog of your browser, or enter your password.'
  if (error instanceof CallError && error.status === 401)
    return 'This passkey isn’t registered here. Sign in another way, and add it under Settings.'
  if (error instanceof CallError && error.status === 403) return error.message
  return error instanceof Error ? `Couldn’t sign in: ${reasonOf(error)}` : String(error)
}
