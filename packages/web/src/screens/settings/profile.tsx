// What belongs to the user, in all accounts: name, email, password, sign-ins, keys, and settings of this browser.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CallError, call, type ResponseTo } from '../../api/call.ts'
import { renewSignIn, useSession } from '../../api/session.tsx'
import { changePreferences, preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'
import { deviceOf } from '../../core/user-agent.ts'
import { TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { userProblems } from '../../forms/schemas/user.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { withConfirmation } from '../../shell/confirmation.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ApiKeyList, CreateKey } from './api-key-list.tsx'
import { DeleteAction } from './delete-action.tsx'
import { DialogForm } from './dialog-form.tsx'
import { SettingList } from './list-screen.tsx'

export function Screen() {
  return (
    <ScreenFrame title="Profile">
      <NameForm />
      <EmailSection />
      <PasswordSection />
      <SignIns />
      <OwnKeys />
      <BrowserSettings />
    </ScreenFrame>
  )
}

function NameForm() {
  const { signIn } = useSession()
  const queries = useQueryClient()
  const form = useForm<{ name: string }>({
    key: 'profile/name',
    saved: { name: signIn.user.name ?? '' },
    problemsOf: userProblems,
    async save({ name }) {
      await call('PATCH /v1/users/me', { body: { name } })
      await renewSignIn(queries)
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save" onSaved={() => showOutcome('Saved your name.')}>
      <TextInput
        form={form}
        path="name"
        label="Name"
        autoComplete="name"
        description="Other members see it, and the audit log has it."
      />
    </FormFrame>
  )
}

function EmailSection() {
  const { signIn } = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [pending, setPending] = useState<string | null>(null)
  return (
    <section aria-labelledby="email">
      <header className="section-head">
        <h2 id="email">Email</h2>
        <ActionButton onPress={() => setOpen(true)}>Change email</ActionButton>
      </header>
      <p>
        You sign in as <strong>{signIn.user.email}</strong>.
      </p>
      {pending !== null && (
        <p role="status">
          A link was sent to {pending}. Your email changes when you open it, within 24 hours.
        </p>
      )}
      {isOpen && (
        <DialogForm
          title="Change your email"
          action="Change"
          onClose={() => setOpen(false)}
          send={async (values) => {
            const email = String(values.get('email')).trim()
            const changed = await withConfirmation(() => call('POST /v1/users/me/email', { body: { email } }))
            setPending(changed.pendingEmail)
            setOpen(false)
            if (changed.pendingEmail === null) showOutcome(`Your email is ${changed.email} now.`)
            await renewSignIn(queries)
          }}
        >
          {(errorOf) => (
            <Field
              label="New email"
              name="email"
              type="email"
              autoComplete="email"
              error={errorOf('email')}
              autoFocus
            />
          )}
        </DialogForm>
      )}
    </section>
  )
}

function PasswordSection() {
  const [isOpen, setOpen] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const queries = useQueryClient()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const text = (name: string) => String(values.get(name))
    setBusy(true)
    setError(null)
    try {
      const body = { currentPassword: text('currentPassword'), newPassword: text('newPassword') }
      await call('POST /v1/users/me/password', { body })
      setOpen(false)
      showOutcome('Changed your password. Your other sign-ins have ended.')
      void queries.invalidateQueries({ queryKey: ['sign-ins'] })
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
    } finally {
      setBusy(false)
    }
  }
  const attributes = error instanceof CallError ? error.attributes : {}
  const errorOf = (name: string) =>
    attributes[name] === undefined ? null : `It ${String(attributes[name])}.`
  const isAboutField = errorOf('currentPassword') !== null || errorOf('newPassword') !== null
  return (
    <section aria-labelledby="password">
      <header className="section-head">
        <h2 id="password">Password</h2>
        {!isOpen && <ActionButton onPress={() => setOpen(true)}>Change password</ActionButton>}
      </header>
      {isOpen && (
        <form className="form panel" onSubmit={submit} noValidate>
          <Field
            label="Current password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            error={errorOf('currentPassword')}
            autoFocus
          />
          <Field
            label="New password"
            name="newPassword"
            type="password"
            autoComplete="new-password"
            description="At least 10 characters. A sentence is fine."
            error={errorOf('newPassword')}
          />
          {error && !isAboutField && (
            <p className="field-error" role="alert">
              {reasonOf(error)}
            </p>
          )}
          <div className="actions">
            <ActionButton type="submit" look="primary" isPending={isBusy}>
              Change password
            </ActionButton>
            <ActionButton onPress={() => setOpen(false)}>Cancel</ActionButton>
          </div>
        </form>
      )}
      <p className="muted-text">A new password ends your sign-ins everywhere else. API keys stay valid.</p>
    </section>
  )
}

type SignInEntry = ResponseTo<'GET /v1/sign-ins'>[number]

function SignIns() {
  const queryKey = ['sign-ins']
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/sign-ins', {}, signal),
  })
  return (
    <section aria-labelledby="sign-ins">
      <h2 id="sign-ins">Where you are signed in</h2>
      <SettingList<SignInEntry>
        what="Your sign-ins"
        data={data}
        error={error}
        onRetry={refetch}
        keyOf={({ id }) => id}
        textOf={({ userAgent, address }) => `${deviceOf(userAgent)} ${address}`}
        rowOf={({ id, userAgent, address, signedInAt, lastUsedAt, isCurrent }) => ({
          name: (
            <>
              {deviceOf(userAgent)} {isCurrent && <span className="tag">This browser</span>}
            </>
          ),
          detail: (
            <>
              {address}, since <RelativeTime at={signedInAt} />, last used <RelativeTime at={lastUsedAt} />
            </>
          ),
          actions: isCurrent ? undefined : (
            <DeleteAction
              verb="End"
              what={`the sign-in of ${deviceOf(userAgent)} at ${address}`}
              outcome="Ended the sign-in."
              denial={null}
              queryKey={queryKey}
              onDelete={() => call('DELETE /v1/sign-ins/{id}', { params: { id } })}
            >
              <p>That browser has to sign in again.</p>
            </DeleteAction>
          ),
        })}
        empty={{ title: 'No sign-ins', text: 'Browsers in which you are signed in appear here.' }}
      />
    </section>
  )
}

function OwnKeys() {
  const queryKey = ['own-api-keys']
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/users/me/api-keys', {}, signal),
  })
  return (
    <section aria-labelledby="own-keys">
      <header className="section-head">
        <h2 id="own-keys">Your API keys</h2>
        <CreateKey
          denial={null}
          queryKey={queryKey}
          hasRole={false}
          create={(values) =>
            withConfirmation(() =>
              call('POST /v1/users/me/api-keys', { body: { name: String(values.get('name')).trim() } }),
            )
          }
        />
      </header>
      <p className="muted-text">
        Programs that use them act as you, in all your accounts. For programs of the account, admins create
        service keys.
      </p>
      <ApiKeyList
        query={query}
        queryKey={queryKey}
        denial={null}
        onDelete={(id) => call('DELETE /v1/users/me/api-keys/{id}', { params: { id } })}
        emptyText="A key lets the command line or a script of yours use the API as you."
      />
    </section>
  )
}

const themes = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

function BrowserSettings() {
  const { theme, isUtc, hasSingleKeys } = useStore(preferences)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <section aria-labelledby="browser">
      <h2 id="browser">This browser</h2>
      <div className="panel">
        <fieldset className="field">
          <legend>Theme</legend>
          <div className="filter-bar">
            {themes.map(({ value, label }) => (
              <label key={value} className="check-box">
                <input
                  type="radio"
                  name="theme"
                  checked={theme === value}
                  onChange={() => changePreferences({ theme: value })}
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
        <fieldset className="field">
          <legend>Times</legend>
          <div className="filter-bar">
            {[false, true].map((value) => (
              <label key={String(value)} className="check-box">
                <input
                  type="radio"
                  name="zone"
                  checked={isUtc === value}
                  onChange={() => changePreferences({ isUtc: value })}
                />
                {value ? 'UTC' : `Your zone (${zone})`}
              </label>
            ))}
          </div>
        </fieldset>
        <fieldset className="field">
          <legend>Keyboard</legend>
          <label className="check-box">
            <input
              type="checkbox"
              checked={hasSingleKeys}
              onChange={({ target }) => changePreferences({ hasSingleKeys: target.checked })}
            />
            Single-key shortcuts, such as j and k
          </label>
        </fieldset>
      </div>
    </section>
  )
}
