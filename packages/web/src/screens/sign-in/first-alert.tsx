// The first alert channel: the email of the user if the server can send mail, else a webhook.
import { useMutation, useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { call, callList } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { reasonOf } from '../../parts/states.tsx'

export function FirstAlert({ checkId }: { checkId: string }) {
  const { signIn } = useSession()
  const { email } = signIn.user
  const server = useQuery({ queryKey: ['setup'], queryFn: ({ signal }) => call('GET /v1/setup', {}, signal) })
  const channels = useQuery({
    queryKey: ['alert-channels', 'first'],
    queryFn: ({ signal }) => callList('GET /v1/alert-channels', { query: { limit: 1 } }, signal),
  })
  const shared = { sendRecovery: true, sendFailure: true, autoSubscribe: true, subscriptions: [{ checkId }] }
  const creation = useMutation({
    mutationFn: (url: string | null) =>
      call('POST /v1/alert-channels', {
        body:
          url === null
            ? { ...shared, type: 'EMAIL', config: { address: email } }
            : { ...shared, type: 'WEBHOOK', config: { name: 'First webhook', url } },
      }),
  })
  if (creation.isSuccess)
    return (
      <p role="status">
        {creation.data.type === 'EMAIL'
          ? `${email} gets a message when it breaks, and when it recovers.`
          : 'The webhook is called when it breaks, and when it recovers.'}
      </p>
    )
  if (server.data === undefined || channels.data === undefined || channels.data.total > 0) return null
  const problem = creation.error === null ? null : `Couldn’t create it: ${reasonOf(creation.error)}`
  if (server.data.sendsMail)
    return (
      <div className="actions">
        <ActionButton onPress={() => creation.mutate(null)} isPending={creation.isPending}>
          Email {email} when it breaks
        </ActionButton>
        {problem && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
      </div>
    )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    creation.mutate(String(new FormData(event.currentTarget).get('webhook')))
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field
        label="Webhook to call when it breaks"
        name="webhook"
        type="url"
        placeholder="https://hooks.example.com/…"
        description="This server has no mail server: the operator can set SMTP_URL for alerts by email."
        error={problem}
      />
      <ActionButton type="submit" isPending={creation.isPending}>
        Call it
      </ActionButton>
    </form>
  )
}
