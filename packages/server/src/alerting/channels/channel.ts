// What a channel is: a neutral message in, what to send out. Channels know nothing of retries, order or the log.
import type { ChannelType, channelDefinitions } from '@vedette/contracts'
import type { z } from 'zod'
import type { AlertMessage } from '../message/message.ts'
import type { DeliveryError } from './transport/delivery-error.ts'
import type { HttpAnswer, HttpCall } from './transport/http.ts'
import type { Mail } from './transport/smtp.ts'

/** One thing to send; a channel with several addresses has one per address, so that a retry repeats only what failed. */
export type Part = { key: string } & ({ http: HttpCall } | { mail: Mail })

export type ConfigOf<T extends ChannelType> = z.output<(typeof channelDefinitions)[T]['config']>

export interface Channel<Config> {
  /** Throws a DeliveryError where the config can't be used. Sends nothing. */
  render(message: AlertMessage, config: Config, tools: ChannelTools): Part[] | Promise<Part[]>
  /** For tools that say no with status 200, or have their own sense of which refusals are final. Default: by status. */
  judge?(answer: HttpAnswer, key: string): DeliveryError | null
  /** Milliseconds before each retry; the last one repeats. */
  retryDelays?: readonly number[]
  /** That many retries also after a permanent error. */
  retriesRefusals?: number
}

export interface ChannelTools {
  now: number
  settings: ChannelSettings
  /** Variables of the account (and of the check's group) by name, for `{{NAME}}`. */
  variables: Readonly<Record<string, string>>
  /** The values among them that must not come back in what a channel says. */
  secrets?: readonly string[]
  /**
   * Off the main thread and within a second; `escaping` is what `{{X}}` does, `{{{X}}}` never escapes. Throws a DeliveryError
   * where the template is wrong. `uri` encodes as forms need it, `&`, `=` and `/` included.
   */
  renderTemplate(
    template: string,
    values: Readonly<Record<string, unknown>>,
    escaping: TemplateEscaping,
  ): Promise<string>
}

export type TemplateEscaping = 'json' | 'uri' | 'html' | 'none'

/** What the operator has set up. */
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
