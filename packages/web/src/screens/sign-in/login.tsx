import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import { sessionEnded } from '../../api/connection.ts'
import { signInKey } from '../../api/session.tsx'
import { nextPath } from '../../core/next-path.ts'
import { SignInForm } from '../../parts/sign-in-form.tsx'
import { PublicFrame } from './public-frame.tsx'

export function Screen() {
  const [, navigate] = useLocation()
  const search = useSearch()
  const queries = useQueryClient()
  return (
    <PublicFrame title="Sign in">
      <SignInForm
        next={nextPath(search)}
        onSignedIn={(signIn) => {
          queries.setQueryData(signInKey, signIn)
          sessionEnded.set(false)
          navigate(nextPath(search), { replace: true })
        }}
      />
      <p className="hint">
        <Link href="/reset">Forgot your password?</Link>
      </p>
    </PublicFrame>
  )
}
