// How a person proves who they are: authenticator app, passkeys, identity provider. Usable on any screen with a session.
import './factors.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { useSignInWays } from '../../parts/other-ways.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { useFactorAction } from './use-factor-action.ts'

type Identity = ResponseTo<'GET /v1/users/me/factors'>['identities'][number]

export function Factors() {
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: ({ signal }) => call('GET /v1/users/me/factors', {}, signal),
  })
  const ways = useSignInWays()
  const error = factors.error ?? ways.error
  if (factors.data && ways.data)
    return (
      <div className="factors">
        <AuthenticatorApp totp={factors.data.totp} />
        <Passkeys passkeys={factors.data.passkeys} ways={ways.data} />
        <Identities identities={factors.data.identities} label={ways.data.singleSignOn?.label ?? null} />
      </div>
    )
  if (error)
    return (
      <Failure
        what="Your factors"
        error={error}
        onRetry={() => {
          factors.refetch()
          ways.refetch()
        }}
      />
    )
  return <FirstLoad />
}

/** Hidden where the operator has set no provider. */
function Identities({ identities, label }: { identities: Identity[]; label: string | null }) {
  const [leaving, setLeaving] = useState<Identity | null>(null)
  const { run, isBusy, problem } = useFactorAction()
  if (label === null && identities.length === 0) return null
  const disconnect = ({ id }: Identity) =>
    run(async () => {
      await call('DELETE /v1/users/me/identities/{id}', { params: { id } })
      setLeaving(null)
      showOutcome('You are disconnected. Your other sign-ins have ended.')
    })
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">Single sign-on</h2>
      <div className="panel">
        {identities.length === 0 ? (
          <p>
            Not connected. Sign out, and sign in with {label} once: it connects by the verified email that you
            have there.
          </p>
        ) : (
          <ul className="factor-list">
            {identities.map((identity) => (
              <li key={identity.id}>
                <div>
                  <span className="name">{identity.email ?? 'Without an email'}</span>
                  <span className="hint">
                    At {new URL(identity.issuer).host}, used <RelativeTime at={identity.lastUsedAt} />
                  </span>
                </div>
                <ActionButton
                  aria-label={`Disconnect ${identity.email ?? identity.issuer}`}
                  onPress={() => setLeaving(identity)}
                >
                  Disconnect
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
      </div>
      {leaving && (
        <Overlay title="Disconnect from single sign-on?" isOpen onClose={() => setLeaving(null)}>
          <p>
            Your other sign-ins end. If your email is in an allowed domain, signing in there connects you
            again.
          </p>
          {problem && (
            <p className="field-error" role="alert">
              {problem}
            </p>
          )}
          <div className="actions">
            <ActionButton look="danger" onPress={() => disconnect(leaving)} isPending={isBusy}>
              Disconnect
            </ActionButton>
            <ActionButton onPress={() => setLeaving(null)}>Cancel</ActionButton>
          </div>
        </Overlay>
      )}
    </section>
  )
}
