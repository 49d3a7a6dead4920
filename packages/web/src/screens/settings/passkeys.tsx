// The passkeys of a person: adding, renaming, removing.
import { type FormEvent, useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import { createCredential, passkeyDenial, type SignInWays } from '../../api/passkeys.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { useFactorAction } from './use-factor-action.ts'

type Passkey = ResponseTo<'GET /v1/users/me/factors'>['passkeys'][number]

/** What the dialog is about. */
type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey } | null

export function Passkeys({ passkeys, ways }: { passkeys: Passkey[]; ways: SignInWays }) {
  const [open, setOpen] = useState<Open>(null)
  const denial = passkeyDenial(ways)
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <div className="panel">
        <p>A passkey signs you in by the fingerprint, face or PIN of a device, without password and code.</p>
        {passkeys.length > 0 && (
          <ul className="factor-list">
            {passkeys.map((passkey) => (
              <li key={passkey.id}>
                <div>
                  <span className="name">{passkey.name}</span>
                  <span className="hint">
                    Added <RelativeTime at={passkey.createdAt} />
                    {passkey.lastUsedAt ? (
                      <>
                        , used <RelativeTime at={passkey.lastUsedAt} />
                      </>
                    ) : (
                      ', not used yet'
                    )}
                  </span>
                </div>
                <div className="actions">
                  <ActionButton
                    aria-label={`Rename ${passkey.name}`}
                    onPress={() => setOpen({ kind: 'rename', passkey })}
                  >
                    Rename
                  </ActionButton>
                  <ActionButton
                    aria-label={`Remove ${passkey.name}`}
                    onPress={() => setOpen({ kind: 'remove', passkey })}
                  >
                    Remove
                  </ActionButton>
                </div>
              </li>
            ))}
          </ul>
        )}
        {denial === null ? (
          <ActionButton
            look={passkeys.length === 0 ? 'primary' : 'plain'}
            onPress={() => setOpen({ kind: 'add' })}
          >
            Add a passkey
          </ActionButton>
        ) : (
          <p className="hint">{denial}</p>
        )}
      </div>
      {open?.kind === 'add' && <NameDialog onClose={() => setOpen(null)} />}
      {open?.kind === 'rename' && <NameDialog passkey={open.passkey} onClose={() => setOpen(null)} />}
      {open?.kind === 'remove' && <RemoveDialog passkey={open.passkey} onClose={() => setOpen(null)} />}
    </section>
  )
}

/** Without a passkey it makes one. */
function NameDialog({ passkey, onClose }: { passkey?: Passkey; onClose(): void }) {
  const { run, isBusy, problem } = useFactorAction()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    return run(async () => {
      if (passkey === undefined) {
        const credential = await createCredential(await call('POST /v1/users/me/passkeys/options'))
        await call('POST /v1/users/me/passkeys', { body: { name, credential } })
        showOutcome(`The passkey “${name}” is added. Your other sign-ins have ended.`)
      } else {
        await call('PATCH /v1/users/me/passkeys/{id}', { params: { id: passkey.id }, body: { name } })
      }
      onClose()
    })
  }
  return (
    <Overlay title={passkey ? 'Rename the passkey' : 'Add a passkey'} isOpen onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          name="name"
          defaultValue={passkey?.name ?? deviceName()}
          description={passkey ? '' : 'So that you recognize the device later.'}
          error={problem}
          autoFocus
        />
        <div className="actions">
          <ActionButton type="submit" look="primary" isPending={isBusy}>
            {passkey ? 'Save' : 'Continue'}
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { run, isBusy, problem } = useFactorAction()
  const remove = () =>
    run(async () => {
      await call('DELETE /v1/users/me/passkeys/{id}', { params: { id: passkey.id } })
      showOutcome(`The passkey “${passkey.name}” is removed. Your other sign-ins have ended.`)
      onClose()
    })
  return (
    <Overlay title={`Remove the passkey “${passkey.name}”?`} isOpen onClose={onClose}>
      <p>It no longer signs you in. Your other sign-ins end. Delete it on the device too.</p>
      {problem && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <div className="actions">
        <ActionButton look="danger" onPress={remove} isPending={isBusy}>
          Remove
        </ActionButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Overlay>
  )
}

/** `Firefox on Linux`. */
function deviceName(): string {
  const { userAgent } = navigator
  const browser = ['Firefox', 'Edg', 'Chrome', 'Safari'].find((name) => userAgent.includes(name))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].find((name) =>
    userAgent.includes(name),
  )
  return `${browser === 'Edg' ? 'Edge' : (browser ?? 'Browser')}${system ? ` on ${system}` : ''}`
}
