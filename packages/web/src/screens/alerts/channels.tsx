// All alert channels: what they send, to how many checks, and whether they work.
import { useState } from 'react'
import { Link } from 'wouter'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { Since } from '../../parts/time.tsx'
import { AlertsFrame } from './alerts-frame.tsx'
import { type Channel, channelKinds, channelName } from './channel-kinds.ts'
import { ChannelTypeList } from './channel-types.tsx'
import { healthLabels, sendsInWords } from './channel-words.ts'
import { useChannels } from './use-channels.ts'

export function Screen() {
  const { data, error, refetch } = useChannels()
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  return (
    <AlertsFrame
      title="Alert channels"
      actions={
        denial === null ? (
          <Link href="/alerts/channels/new" className="button primary">
            Add channel
          </Link>
        ) : (
          <span className="muted-text">{denial}</span>
        )
      }
    >
      {error && data === undefined ? (
        <Failure what="The alert channels" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad />
      ) : data.length === 0 ? (
        <Empty title="Nobody is notified yet">
          <p className="muted-text">A channel notifies people when a check fails and when it recovers.</p>
          {denial === null && <ChannelTypeList />}
        </Empty>
      ) : (
        <ChannelList channels={data} />
      )}
    </AlertsFrame>
  )
}

function ChannelList({ channels }: { channels: readonly Channel[] }) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = channels.filter((channel) =>
    `${channelName(channel)} ${channelKinds[channel.type].label}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      {channels.length > 10 && (
        <input
          type="search"
          className="text-input"
          aria-label="Filter channels"
          placeholder="Filter by name or type"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {shown.length === 0 ? (
        <Empty title="No channel matches">
          <button type="button" className="button" onClick={() => setText('')}>
            Clear filter
          </button>
        </Empty>
      ) : (
        <ul className="entry-list" aria-label="Alert channels">
          {shown.map((channel) => (
            <li key={channel.id} className="entry">
              <div className="entry-head">
                <StateLabel {...healthLabels[channel.health.status]} />
                {channel.health.since !== null && (
                  <span className="muted-text">
                    <Since at={channel.health.since} />
                  </span>
                )}
              </div>
              <div className="entry-about">
                <p>
                  <Link href={`/alerts/channels/${channel.id}`}>{channelName(channel)}</Link>
                </p>
                <p className="muted-text">{channelKinds[channel.type].label}</p>
                {channel.health.error !== null && <p className="reason">{channel.health.error}</p>}
              </div>
              <div className="entry-outcome">
                <p>{sendsInWords(channel)}</p>
                <p className="muted-text">{subscribedInWords(channel)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function subscribedInWords({ subscriptions, autoSubscribe }: Channel): string {
  const active = subscriptions.filter(({ activated }) => activated)
  const checks = active.filter(({ checkId }) => checkId !== null).length
  const groups = active.length - checks
  const parts = [
    checks > 0 ? formatNumberOf(checks, 'check') : '',
    groups > 0 ? formatNumberOf(groups, 'group') : '',
    autoSubscribe ? 'every new check' : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'No check is subscribed: it sends nothing.' : `For ${parts.join(', ')}`
}
