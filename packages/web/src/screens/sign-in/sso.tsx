// Where the identity provider sends people back to.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { CallError, call } from '../../api/call.ts'
import { sessionEnded } from '../../api/connection.ts'
import { signInKey } from '../../api/session.tsx'
import { takeNext } from '../../api/single-sign-on.ts'
import type { SignIn } from '../../api/types.ts'
import { nextPath } from '../../core/next-path.ts'
import { SecondStep } from '../../parts/second-step.tsx'
import { FirstLoad, reasonOf } from '../../parts/states.tsx'
import { PublicFrame } from './public-frame.tsx'

type State = { step: 'busy' } | { step: 'code'; token: string } | { step: 'refused'; why: string }

export function Screen() {
  const [state, setState] = useState<State>({ step: 'busy' })
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const isSent = useRef(false)
  const finish = (signIn: SignIn) => {
    queries.setQueryData(signInKey, signIn)
    sessionEnded.set(false)
    navigate(nextPath(`?${new URLSearchParams({ next: takeNext() })}`), { replace: true })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the response of the provider works once
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    const query = location.search.slice(1)
    // The code belongs neither into the history nor into a copied address.
    history.replaceState(history.state, '', location.pathname)
    call('POST /v1/sign-in/single-sign-on', { body: { query } }).then(
      (start) =>
        'secondFactor' in start ? setState({ step: 'code', token: start.secondFactor.token }) : finish(start),
      (error) => setState({ step: 'refused', why: whyOf(error) }),
    )
  }, [])
  if (state.step === 'busy')
    return (
      <PublicFrame title="Signing in">
        <FirstLoad rows={2} />
      </PublicFrame>
    )
  if (state.step === 'code')
    return (
      <PublicFrame title="Enter your code">
        <SecondStep
          token={state.token}
          onSignedIn={finish}
          onRestart={() => navigate('/login', { replace: true })}
        />
      </PublicFrame>
    )
  return (
    <PublicFrame title="You aren’t signed in">
      <p role="alert">{state.why}</p>
      <p>
        <Link href="/login">Back to sign in</Link>
      </p>
    </PublicFrame>
  )
}

function whyOf(error: unknown): string {
  // 400: someone opened this address without a response of the provider.
  if (error instanceof CallError && error.status === 400)
    return 'This address is for the response of an identity provider. Begin at the sign-in page.'
  if (error instanceof CallError && error.status === 403) return error.message
  return error instanceof Error ? `Couldn’t sign in: ${reasonOf(error)}` : String(error)
}
