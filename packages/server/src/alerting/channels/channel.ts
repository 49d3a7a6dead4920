// The interface of channels: a message in, requests or emails out. Channels don't handle retries, order or the log.
import type { ChannelType, channelDefinitions } from '@vedette/contracts'
import type { z } from 'zod'
import type { AlertMessage } from '../message/message.ts'
import type { DeliveryError } from './transport/delivery-error.ts'
import type { HttpCall, HttpResponse } from './transport/http.ts'
import type { Mail } from './transport/smtp.ts'

/** One request or email. A channel with several addresses has one per address, so that a retry repeats only failed ones. */
export type Part = { key: string } & ({ http: HttpCall } | { mail: Mail })

export type ConfigOf<T extends ChannelType> = z.output<(typeof channelDefinitions)[T]['config']>

export interface Channel<Config> {
  /** Throws a DeliveryError if the config is unusable. Sends nothing. */
  render(message: AlertMessage, config: Config, tools: ChannelTools): Part[] | Promise<Part[]>
  /** For tools that refuse with status 200, or differ in which refusals are final. Default: by status. */
  judge?(response: HttpResponse, key: string): DeliveryError | null
  /** Milliseconds before each retry; the last one repeats. */
  retryDelays?: readonly number[]
  /** Number of retries after a permanent error. */
  retriesRefusals?: number
}

export interface ChannelTools {
  now: number
  settings: ChannelSettings
  /** Variables of the account (and of the check's group) by name, for `{{NAME}}`. */
  variables: Readonly<Record<string, string>>
  /** Secret values among them, which are removed from responses. */
  secrets?: readonly string[]
  /**
   * Renders in a worker thread, within a second. `escaping` applies to `{{X}}`; `{{{X}}}` never escapes. `uri` encodes form values,
   * including `&`, `=` and `/`. Throws a DeliveryError if the template is invalid.
   */
  renderTemplate(
    template: string,
    values: Readonly<Record<string, unknown>>,
    escaping: TemplateEscaping,
  ): Promise<string>
}

export type TemplateEscaping = 'json' | 'uri' | 'html' | 'none'

/** The operator's settings. */
export interface ChannelSettings {
  publicUrl: string
  mailFrom: string
  slackApiUrl: string
  slackBotToken: string | null
  pagerdutyUrl: string
  opsgenieUrl: string
  opsgenieEuUrl: string
  twilio: { apiUrl: string; accountSid: string; authToken: string; from: string } | null
}
