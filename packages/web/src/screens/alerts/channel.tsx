// One alert channel: its settings, who is subscribed, what it delivered.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { channelAsCurl } from '@vedette/as-code/channel-code'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { alertChannelBody, alertChannelProblems } from '../../forms/schemas/alert-channel.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeButton } from '../../parts/code-dialog.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { Since } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import './alerts.css'
import { resourceAsTerraform } from '@vedette/as-code/resource-as-terraform'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { ChannelForm } from './channel-form.tsx'
import { type Channel, channelKinds, channelName, maskConfig, secretPathsOf } from './channel-kinds.ts'
import type { ChannelValues } from './channel-values.ts'
import { healthLabels, healthReasons } from './channel-words.ts'
import { DeliveryList } from './delivery-list.tsx'
import { SubscriberPanel } from './subscriber-panel.tsx'
import { channelsKey } from './use-channels.ts'

const load = (id: number, signal?: AbortSignal) =>
  call('GET /v1/alert-channels/{id}', { params: { id } }, signal)

export function Screen({ id }: { id: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...channelsKey, id],
    queryFn: ({ signal }) => load(id, signal),
  })
  // Secrets that were typed are stored after saving: a new form shows the mask again.
  const [version, setVersion] = useState(0)
  if (data !== undefined)
    return <Loaded key={version} channel={data} onSaved={() => setVersion(version + 1)} />
  if (isNotFound(error)) return <NotFound what="This alert channel" />
  return (
    <ScreenFrame title="Alert channel" trail={<Link href="/alerts/channels">Alert channels</Link>}>
      {error ? <Failure what="The alert channel" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function valuesOf(channel: Channel): ChannelValues {
  return {
    type: channel.type,
    // Optional fields may be absent.
    config: maskConfig(channel.type, { ...channelKinds[channel.type].config, ...channel.config }),
    sendRecovery: channel.sendRecovery,
    sendFailure: channel.sendFailure,
    sendDegraded: channel.sendDegraded,
    sslExpiry: channel.sslExpiry,
    sslExpiryThreshold: channel.sslExpiryThreshold,
    autoSubscribe: channel.autoSubscribe,
  }
}

function Loaded({ channel, onSaved }: { channel: Channel; onSaved(): void }) {
  const { id, type } = channel
  const { account, denialOf } = useSession()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const name = channelName(channel)
  const form = useForm<ChannelValues>({
    key: `channel/${id}`,
    saved: valuesOf(channel),
    problemsOf: alertChannelProblems,
    secretPaths: secretPathsOf(type),
    reload: async () => valuesOf(await load(id)),
    save: async (values) => {
      await call('PUT /v1/alert-channels/{id}', { params: { id }, body: alertChannelBody(values) })
      await queries.invalidateQueries({ queryKey: channelsKey })
    },
  })
  return (
    <ScreenFrame
      title={name}
      trail={<Link href="/alerts/channels">Alert channels</Link>}
      actions={
        <>
          <CodeButton
            blocks={() => [
              { title: 'TypeScript construct', text: resourcesAsConstructs({ alertChannels: [channel] }) },
              { title: 'Terraform', text: resourceAsTerraform('alert-channel', channel, name) ?? '' },
              {
                title: 'curl',
                text: channelAsCurl(channel, { origin: location.origin + basePath, accountId: account.id }),
              },
            ]}
          />
          <ActionButton look="danger" denial={denialOf('READ_WRITE')} onPress={() => setDeleting(true)}>
            Delete
          </ActionButton>
        </>
      }
    >
      <ProjectBadge {...channel} />
      <Health channel={channel} />
      <ChannelForm
        form={form}
        channelId={id}
        storedUrl={'url' in channel.config ? channel.config.url : ''}
        onSaved={() => {
          showOutcome('The channel was saved.')
          onSaved()
        }}
      />
      <SubscriberPanel channelId={id} />
      <Deliveries channelId={id} />
      {isDeleting && <DeleteChannel channel={channel} onClose={() => setDeleting(false)} />}
    </ScreenFrame>
  )
}

function Health({ channel: { type, health } }: { channel: Channel }) {
  return (
    <div className="channel-health">
      <p>
        <StateLabel {...healthLabels[health.status]} />{' '}
        <span className="muted-text">
          {channelKinds[type].label}
          {health.since !== null && (
            <>
              , <Since at={health.since} />
            </>
          )}
        </span>
      </p>
      {health.status !== 'OK' && (
        <>
          <p>{healthReasons[health.status]}</p>
          <p className="reason">{health.error}</p>
        </>
      )}
    </div>
  )
}

const shownDeliveries = 10

function Deliveries({ channelId }: { channelId: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['alert-history', 'channel', channelId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/alert-history/deliveries',
        { query: { alertChannelId: channelId, limit: shownDeliveries } },
        signal,
      ),
  })
  return (
    <section aria-labelledby="deliveries">
      <header className="section-head">
        <h2 id="deliveries">Last deliveries</h2>
        {data && data.entries.length > 0 && (
          <Link href={`/alerts?view=deliveries&channel=${channelId}`}>All deliveries</Link>
        )}
      </header>
      {error && data === undefined ? (
        <Failure what="The deliveries" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad rows={3} />
      ) : data.entries.length === 0 ? (
        <p className="muted-text">Nothing was sent yet. Test messages aren’t listed.</p>
      ) : (
        <DeliveryList entries={data.entries} />
      )}
    </section>
  )
}

function DeleteChannel({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const { id } = channel
  const { data, error } = useQuery({
    queryKey: ['alert-channel-dependents', id],
    queryFn: ({ signal }) => call('GET /v1/alert-channels/{id}/dependents', { params: { id } }, signal),
    staleTime: 0,
  })
  return (
    <DeleteDialog
      what={`the channel “${channelName(channel)}”`}
      isOpen
      onClose={onClose}
      onDelete={() => call('DELETE /v1/alert-channels/{id}', { params: { id } })}
      onDeleted={() => {
        void queries.invalidateQueries({ queryKey: channelsKey })
        showOutcome('The channel was deleted.')
        navigate('/alerts/channels')
      }}
    >
      {error ? (
        <p>Which checks would notify nobody couldn’t be determined.</p>
      ) : data === undefined ? (
        <FirstLoad rows={2} />
      ) : data.onlyHere === 0 ? (
        <p>
          {data.checks === 0
            ? 'No check is subscribed to it.'
            : `${formatNumberOf(data.checks, 'check')} notify other channels too.`}
        </p>
      ) : (
        <>
          <p>
            <strong>
              {data.onlyHere === 1
                ? 'One check would notify nobody any more:'
                : `${formatNumberOf(data.onlyHere, 'check')} would notify nobody any more:`}
            </strong>
          </p>
          <ul className="short-list">
            {data.onlyHereChecks.slice(0, 10).map((check) => (
              <li key={check.id}>{check.name}</li>
            ))}
            {data.onlyHere > 10 && <li>and {data.onlyHere - 10} more</li>}
          </ul>
        </>
      )}
    </DeleteDialog>
  )
}
