// Beside the form: what a message looks like, and a test message with the values of the form, saved or not.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useDebounced } from '../../core/use-debounced.ts'
import { alertChannelBody, alertChannelProblems } from '../../forms/schemas/alert-channel.ts'
import { ActionButton } from '../../parts/button.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { reasonOf } from '../../parts/states.tsx'
import type { ChannelValues } from './channel-values.ts'

const messages = [
  { value: 'ALERT_FAILURE', label: 'A failure' },
  { value: 'ALERT_DEGRADED', label: 'A degraded check' },
  { value: 'ALERT_RECOVERY', label: 'A recovery' },
  { value: 'ALERT_SSL', label: 'An expiring certificate' },
] as const

type MessageType = (typeof messages)[number]['value']

const typingMs = 500

interface ChannelTestProps {
  values: ChannelValues
  channelId: number | null
  denial: string | null
}

export function ChannelTest({ values, channelId, denial }: ChannelTestProps) {
  const [alertType, setAlertType] = useState<MessageType>('ALERT_FAILURE')
  const isComplete = alertChannelProblems(values).length === 0
  const bodyOf = (channel: ChannelValues) => ({
    body: {
      channel: alertChannelBody(channel),
      alertType,
      ...(channelId === null ? {} : { alertChannelId: channelId }),
    },
  })
  const test = useMutation({ mutationFn: () => call('POST /v1/alert-channels/test', bodyOf(values)) })
  const settled = useDebounced(values, typingMs)
  const preview = useQuery({
    queryKey: ['channel-preview', channelId, alertType, settled],
    queryFn: ({ signal }) => call('POST /v1/alert-channels/preview', bodyOf(settled), signal),
    enabled: denial === null && alertChannelProblems(settled).length === 0,
    gcTime: 0,
  })
  return (
    <aside className="panel side" aria-label="Test and preview">
      <h2>Test message</h2>
      <label className="field">
        About
        <select
          value={alertType}
          onChange={({ target }) =>
            setAlertType(messages.find(({ value }) => value === target.value)?.value ?? 'ALERT_FAILURE')
          }
        >
          {messages.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div>
        <ActionButton
          onPress={() => test.mutate()}
          isPending={test.isPending}
          isDisabled={!isComplete}
          denial={denial}
        >
          Send test message
        </ActionButton>
      </div>
      <div role="status">
        {test.data && (
          <>
            <StateLabel
              state={test.data.status === 'SUCCESS' ? 'passing' : 'failing'}
              label={test.data.status === 'SUCCESS' ? 'Delivered' : 'Not delivered'}
            />
            <p className="muted-text">{test.data.notificationResult}</p>
          </>
        )}
        {test.error && <p className="field-error">Couldn’t send it: {reasonOf(test.error)}</p>}
        {!isComplete && <p className="hint">Fill in the fields to send a message and to see it here.</p>}
      </div>
      {isComplete && denial === null && (
        <Preview
          messages={preview.data?.messages ?? []}
          problem={preview.error ? reasonOf(preview.error) : (preview.data?.problem ?? null)}
        />
      )}
    </aside>
  )
}

interface PreviewProps {
  messages: readonly { to: string | null; subject: string | null; contentType: string | null; body: string }[]
  problem: string | null
}

function Preview({ messages: shown, problem }: PreviewProps) {
  const [first] = shown
  return (
    <>
      <h2>Preview</h2>
      {problem !== null && <p className="field-error">{problem}</p>}
      {first && (
        <>
          <p className="muted-text">
            {first.subject ?? first.contentType ?? 'Without a body'}
            {shown.length > 1 && ` · and ${shown.length - 1} more of the kind`}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
          <pre className="preview" tabIndex={0}>
            {readableBody(first)}
          </pre>
        </>
      )}
    </>
  )
}

/** JSON indented, a form one field per line. */
function readableBody({ contentType, body }: { contentType: string | null; body: string }): string {
  if (body === '') return '(no body)'
  if (contentType?.includes('json')) {
    try {
      return JSON.stringify(JSON.parse(body), null, 2)
    } catch {
      return body
    }
  }
  if (contentType?.includes('urlencoded'))
    return [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`).join('\n')
  return body
}
