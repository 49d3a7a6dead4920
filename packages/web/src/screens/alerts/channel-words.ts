import type { StateName } from '../../core/states.ts'
import type { Channel } from './channel-kinds.ts'

export const healthLabels: Record<Channel['health']['status'], { state: StateName; label: string }> = {
  OK: { state: 'passing', label: 'Working' },
  FAILING: { state: 'degraded', label: 'Failing' },
  REFUSING: { state: 'failing', label: 'Refusing' },
}

/** What the state of a channel means, and what to do. */
export const healthReasons: Record<Channel['health']['status'], string> = {
  OK: '',
  FAILING: 'The last message couldn’t be delivered. Messages are tried again for six hours.',
  REFUSING:
    'The channel refuses messages, and will until it is changed. Correct its settings, or send a test message if the receiver was fixed.',
}

type Switches = Pick<
  Channel,
  'sendFailure' | 'sendDegraded' | 'sendRecovery' | 'sslExpiry' | 'sslExpiryThreshold'
>

/** `Failures and recoveries; certificates 30 days before they expire`. */
export function sendsInWords(channel: Switches): string {
  const kinds = [
    channel.sendFailure ? 'failures' : '',
    channel.sendDegraded ? 'degraded checks' : '',
    channel.sendRecovery ? 'recoveries' : '',
  ].filter((kind) => kind !== '')
  const certificates = channel.sslExpiry
    ? `certificates ${channel.sslExpiryThreshold} days before they expire`
    : ''
  const text = [joined(kinds), certificates].filter((part) => part !== '').join('; ')
  return text === '' ? 'Nothing: all kinds are turned off' : text.charAt(0).toUpperCase() + text.slice(1)
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
