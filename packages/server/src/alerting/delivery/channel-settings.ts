// The operator's settings for channels.
import type { NetworkRules } from '@vedette/safeguards/address-policy'
import type { Config } from '../../config.ts'
import { publicUrl } from '../../core/public-url.ts'
import type { ChannelSettings } from '../channels/channel.ts'

export function channelSettings(config: Config): ChannelSettings {
  return {
    publicUrl: publicUrl(config),
    mailFrom: config.SMTP_FROM,
    slackApiUrl: config.SLACK_API_URL,
    slackBotToken: config.SLACK_BOT_TOKEN ?? null,
    pagerdutyUrl: config.PAGERDUTY_URL,
    opsgenieUrl: config.OPSGENIE_URL,
    opsgenieEuUrl: config.OPSGENIE_EU_URL,
    twilio: twilioOf(config),
  }
}

function twilioOf({
  TWILIO_URL: apiUrl,
  TWILIO_ACCOUNT_SID: accountSid,
  TWILIO_AUTH_TOKEN: authToken,
  TWILIO_FROM: from,
}: Config): ChannelSettings['twilio'] {
  if (accountSid === undefined || authToken === undefined || from === undefined) return null
  return { apiUrl, accountSid, authToken, from }
}

/** The addresses that requests to channels may connect to. */
export function channelRules(config: Config): NetworkRules {
  return {
    mode: config.CHANNEL_NETWORK === 'public' ? 'public' : 'default',
    allow: networksOf(config.CHANNEL_ALLOW_NETWORKS),
    deny: networksOf(config.CHANNEL_DENY_NETWORKS),
  }
}

function networksOf(list = ''): string[] {
  return list
    .split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '')
}
