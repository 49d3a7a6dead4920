import { useQueryClient } from '@tanstack/react-query'
import type { ChannelType } from '@vedette/contracts'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { alertChannelBody, alertChannelProblems } from '../../forms/schemas/alert-channel.ts'
import { useForm } from '../../forms/use-form.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import './alerts.css'
import { ChannelForm } from './channel-form.tsx'
import { channelKinds, isChannelType, secretPathsOf } from './channel-kinds.ts'
import { ChannelTypeList } from './channel-types.tsx'
import type { ChannelValues } from './channel-values.ts'
import { channelsKey } from './use-channels.ts'

export function Screen() {
  const [search] = useSearchParameters()
  const type = search.get('type')
  if (isChannelType(type)) return <NewChannel key={type} type={type} />
  return (
    <ScreenFrame title="Add alert channel" trail={<Link href="/alerts/channels">Alert channels</Link>}>
      <ChannelTypeList />
    </ScreenFrame>
  )
}

function NewChannel({ type }: { type: ChannelType }) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const created = useRef<number | null>(null)
  const kind = channelKinds[type]
  const form = useForm<ChannelValues>({
    key: `channel/new/${type}`,
    saved: {
      ...{ type, config: kind.config, sendFailure: true, sendDegraded: false, sendRecovery: true },
      ...{ sslExpiry: false, sslExpiryThreshold: 30, autoSubscribe: true },
    },
    problemsOf: alertChannelProblems,
    secretPaths: secretPathsOf(type),
    save: async (values) => {
      const channel = await call('POST /v1/alert-channels', { body: alertChannelBody(values) })
      created.current = channel.id
      await queries.invalidateQueries({ queryKey: channelsKey })
    },
  })
  return (
    <ScreenFrame
      title={`Add ${kind.label}`}
      trail={
        <>
          <Link href="/alerts/channels">Alert channels</Link> ·{' '}
          <Link href="/alerts/channels/new">Another type</Link>
        </>
      }
    >
      <p className="muted-text">
        {kind.about}
        {kind.serverSettings &&
          ` The server needs ${kind.serverSettings}; a test message shows whether it is set.`}
      </p>
      <ChannelForm
        form={form}
        channelId={null}
        onSaved={() => {
          showOutcome('The channel was created. Subscribe checks to it.')
          navigate(`/alerts/channels/${created.current}`)
        }}
      />
    </ScreenFrame>
  )
}
