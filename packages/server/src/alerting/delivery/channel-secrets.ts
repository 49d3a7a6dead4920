// The texts that must not come back out of a channel: its secrets as they are sent, secret variables that its template
// may hold, and the operator's.
import type { ChannelType } from '@vedette/contracts'
import { listSecrets } from '../../storage/alerts/channel-secrets.ts'
import type { ChannelTools } from '../channels/channel.ts'

/** Shorter ones are no secrets, and would blot out half of what is said. */
const minChars = 8

/** Longest first, as one may hold another. */
export function channelSecrets(
  type: ChannelType,
  config: unknown,
  { settings, variables, secrets = [] }: ChannelTools,
): string[] {
  const own = listSecrets(type, config as Record<string, unknown>).flatMap(piecesOf)
  const operators = [settings.slackBotToken, settings.twilio?.authToken, variables.SLACK_BOT_TOKEN]
  const all = [...own, ...operators, ...secrets.flatMap(formsOf)].filter(
    (text) => text != null && text.length >= minChars,
  ) as string[]
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

/** A template may have written it into JSON or into a form. */
function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}

/** A header is a scheme and a token, an address a host and a path that holds one. */
function piecesOf(secret: string): string[] {
  const url = URL.parse(secret)
  const path =
    url === null ? [] : [url.pathname + url.search, ...url.pathname.split('/'), ...url.searchParams.values()]
  return [secret, ...secret.split(/\s+/), ...path]
}
