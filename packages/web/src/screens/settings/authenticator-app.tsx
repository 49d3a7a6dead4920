// The authenticator app: adding it, its recovery codes, turning it off.
import { type FormEvent, useState } from 'react'
import { CallError, call, type ResponseTo } from '../../api/call.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeField } from '../../parts/code-field.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { QrCode } from './qr-code.tsx'
import { useFactorAction } from './use-factor-action.ts'

type Totp = ResponseTo<'GET /v1/users/me/factors'>['totp']
type Enrollment = ResponseTo<'POST /v1/users/me/totp'>

/** Fewer are a reason to make new ones. */
const fewCodes = 3

export function AuthenticatorApp({ totp }: { totp: Totp }) {
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const [isTurningOff, setTurningOff] = useState(false)
  const { run, isBusy, problem } = useFactorAction()
  const begin = () => run(async () => setEnrollment(await call('POST /v1/users/me/totp')))
  const replace = () =>
    run(async () => setCodes((await call('POST /v1/users/me/recovery-codes')).recoveryCodes))
  const turnOff = async () => {
    setTurningOff(false)
    await run(async () => {
      await call('DELETE /v1/users/me/totp')
      showOutcome('The authenticator app is turned off. Your other sign-ins have ended.')
    })
  }
  return (
    <section aria-labelledby="authenticator-app">
      <h2 id="authenticator-app">Authenticator app</h2>
      <div className="panel">
        {totp === null ? (
          <p>
            Off. With an app such as Aegis, 1Password or Google Authenticator, a sign-in by password also
            needs a code of your phone.
          </p>
        ) : (
          <>
            <p>
              On since <RelativeTime at={totp.enrolledAt} />. A sign-in by password also needs a code of the
              app.
            </p>
            <p className={totp.recoveryCodesLeft <= fewCodes ? 'field-error' : 'hint'}>
              {totp.recoveryCodesLeft} of 10 recovery codes are left.
              {totp.recoveryCodesLeft <= fewCodes && ' Replace them before they run out.'}
            </p>
          </>
        )}
        {problem && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <div className="actions">
          {totp === null ? (
            <ActionButton look="primary" onPress={begin} isPending={isBusy}>
              Add an app
            </ActionButton>
          ) : (
            <>
              <ActionButton onPress={replace} isPending={isBusy}>
                Replace recovery codes
              </ActionButton>
              <ActionButton look="danger" onPress={() => setTurningOff(true)}>
                Turn off
              </ActionButton>
            </>
          )}
        </div>
      </div>
      {enrollment && (
        <EnrollmentDialog
          enrollment={enrollment}
          onClose={() => setEnrollment(null)}
          onDone={(fresh) => {
            setEnrollment(null)
            setCodes(fresh)
          }}
        />
      )}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(null)} />}
      <Overlay
        title="Turn off the authenticator app?"
        isOpen={isTurningOff}
        onClose={() => setTurningOff(false)}
      >
        <p>Your password alone will be enough to sign in. The recovery codes stop working.</p>
        <div className="actions">
          <ActionButton look="danger" onPress={turnOff}>
            Turn off
          </ActionButton>
          <ActionButton onPress={() => setTurningOff(false)}>Cancel</ActionButton>
        </div>
      </Overlay>
    </section>
  )
}

interface EnrollmentDialogProps {
  enrollment: Enrollment
  onClose(): void
  onDone(codes: string[]): void
}

function EnrollmentDialog({ enrollment: { secret, uri }, onClose, onDone }: EnrollmentDialogProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const { run, isBusy } = useFactorAction()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    setProblem(null)
    await run(async () => {
      try {
        const body = { code }
        onDone((await call('POST /v1/users/me/totp/confirmation', { body })).recoveryCodes)
      } catch (error) {
        if (!(error instanceof CallError) || error.attributes.code === 'confirmation_required') throw error
        setProblem(
          error.status === 400
            ? 'That code is wrong. Enter the one that the app shows now; the time of your phone must be right.'
            : reasonOf(error),
        )
      }
    })
  }
  return (
    <Overlay title="Add an authenticator app" isOpen onClose={onClose}>
      <div className="enrollment">
        <QrCode text={uri} label="QR code for the authenticator app" />
        <div>
          <p>Scan the code with the app, then enter the six digits that it shows.</p>
          <p className="hint">Or type this key into the app:</p>
          <code className="secret-text">{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
          <CopyButton text={secret} label="Copy the key" />
        </div>
      </div>
      <form className="form" onSubmit={submit} noValidate>
        <CodeField error={problem} hasRecovery={false} autoFocus />
        <div className="actions">
          <ActionButton type="submit" look="primary" isPending={isBusy}>
            Turn on
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

function CodesDialog({ codes, onClose }: { codes: string[]; onClose(): void }) {
  return (
    <Overlay title="Keep your recovery codes" isOpen>
      <p>
        Each signs you in once if your phone is gone. They are shown only now: keep them where you keep
        passwords.
      </p>
      <ul className="recovery-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p className="hint">Your other sign-ins have ended.</p>
      <div className="actions">
        <ActionButton look="primary" onPress={onClose}>
          I have kept them
        </ActionButton>
        <CopyButton text={codes.join('\n')} label="Copy all" />
      </div>
    </Overlay>
  )
}
