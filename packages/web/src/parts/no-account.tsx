// For someone who is signed in, but isn't a member of any account, or not any more.
import { basePath } from '../api/base-path.ts'
import { call } from '../api/call.ts'
import { ActionButton } from './button.tsx'

export function NoAccount({ lost }: { lost: string | null }) {
  const signOut = async () => {
    await call('DELETE /v1/sign-in').catch(() => undefined)
    location.assign(`${basePath}/login`)
  }
  return (
    <main className="public-frame">
      <h1>{lost === null ? 'You have no account here' : `You are no longer a member of ${lost}`}</h1>
      <p role="status">
        {lost === null ? 'You aren’t a member of any account.' : 'An admin has removed you.'} Ask an owner for
        an invitation, then open its link.
      </p>
      <div className="actions">
        <ActionButton onPress={signOut}>Sign out</ActionButton>
      </div>
    </main>
  )
}
