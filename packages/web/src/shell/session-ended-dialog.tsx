// When the session ends, people sign in on top of what they were doing, which stays as it is.
import { useQueryClient } from '@tanstack/react-query'
import { sessionEnded } from '../api/connection.ts'
import { signInKey, useSession } from '../api/session.tsx'
import { currentPath } from '../api/single-sign-on.ts'
import { useStore } from '../core/store.ts'
import { Overlay } from '../parts/dialog.tsx'
import { SignInForm } from '../parts/sign-in-form.tsx'

export function SessionEndedDialog() {
  const isEnded = useStore(sessionEnded)
  const { signIn } = useSession()
  const queries = useQueryClient()
  return (
    <Overlay title="Your session has ended" isOpen={isEnded}>
      <p>Sign in again to continue. What you were doing is kept.</p>
      <SignInForm
        email={signIn.user.email}
        next={currentPath()}
        onSignedIn={(next) => {
          queries.setQueryData(signInKey, next)
          sessionEnded.set(false)
          queries.invalidateQueries()
        }}
      />
    </Overlay>
  )
}
