import { Link } from 'wouter'
import { channelKinds } from './channel-kinds.ts'

/** The first step of a new channel. */
export function ChannelTypeList() {
  return (
    <ul className="type-list" aria-label="Types of channels">
      {Object.entries(channelKinds).map(([type, { label, about, serverSettings }]) => (
        <li key={type}>
          <Link href={`/alerts/channels/new?type=${type}`}>
            <strong>{label}</strong>
            <span className="muted-text">
              {about}
              {serverSettings && ` Needs ${serverSettings} on the server.`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
