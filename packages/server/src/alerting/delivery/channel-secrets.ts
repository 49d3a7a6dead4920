// Lists the secrets that a channel's response must not leak into the log: those of its config, secret variables of its template, and the
// operator's.
import type { ChannelType } from '@vedette/contracts'
import { listSecrets } from '../../storage/alerts/channel-secrets.ts'
import type { ChannelTools } from '../channels/channel.ts'

/** Shorter values aren't secrets, and masking them would make responses unreadable. */
const minChars = 8

/** Longest first, because one may contain another. */
export function channelSecrets(
  type: ChannelType,
  config: Record<string, unknown>,
  { settings, variables, secrets = [] }: ChannelTools,
): string[] {
  const own = listSecrets(type, config).flatMap(piecesOf)
  const operators = [settings.slackBotToken, settings.twilio?.authToken, variables.SLACK_BOT_TOKEN]
  const all = [...own, ...operators, ...secrets.flatMap(formsOf)].flatMap((text) =>
    text != null && text.length >= minChars ? [text] : [],
  )
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

/** As a template writes it into text, JSON or a form. */
function formsOf(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}

/** A header consists of a scheme and a token; a URL may contain a token in its path or query. */
function piecesOf(secret: string): string[] {
  const url = URL.parse(secret)
  const path =
    url === null ? [] : [url.pathname + url.search, ...url.pathname.split('/'), ...url.searchParams.values()]
  return [secret, ...secret.split(/\s+/), ...path]
}
