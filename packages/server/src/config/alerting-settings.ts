import { z } from 'zod'
import { networks, serviceUrl } from './fields.ts'

/** Settings of alerts and channels. */
export const alertingSettings = {
  ALERTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: no alerts are decided or sent, for a copy of an installation that must not page anyone'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?#]+/, 'must be smtp://user:password@host:port or smtps://…')
    .optional()
    .describe('Mail server for alerts, subscribers and owners; without it no mail is sent'),
  SMTP_FROM: z
    .string()
    .min(3)
    .max(320)
    .default('Vedette <alerts@localhost.local>')
    .describe('Sender of mails'),
  CHANNEL_NETWORK: z
    .enum(['private', 'public'])
    .default('private')
    .describe(
      'Calls to alert channels, and logos of pages: public refuses private, loopback and CGNAT addresses. Required with several accounts',
    ),
  CHANNEL_ALLOW_NETWORKS: networks.describe(
    'Networks that channels may use nevertheless, such as 10.1.0.0/16,fd00::/8',
  ),
  CHANNEL_DENY_NETWORKS: networks.describe('Further networks that channels must not use'),
  SLACK_API_URL: serviceUrl('https://slack.com/api').describe('Slack app channels: URL of the Slack API'),
  SLACK_BOT_TOKEN: z
    .string()
    .optional()
    .describe('Slack app channels: bot token, unless an account has a variable of this name'),
  PAGERDUTY_URL: serviceUrl('https://events.pagerduty.com').describe('URL of the PagerDuty events API'),
  OPSGENIE_URL: serviceUrl('https://api.opsgenie.com').describe('URL of the Opsgenie API, region US'),
  OPSGENIE_EU_URL: serviceUrl('https://api.eu.opsgenie.com').describe('URL of the Opsgenie API, region EU'),
  TWILIO_URL: serviceUrl('https://api.twilio.com').describe(
    'SMS and calls: URL of Twilio, or of a service with its API',
  ),
  TWILIO_ACCOUNT_SID: z.string().optional().describe('SMS and calls: the Twilio account'),
  TWILIO_AUTH_TOKEN: z.string().optional().describe('SMS and calls: the token of the account'),
  TWILIO_FROM: z
    .string()
    .regex(/^\+[1-9]\d{1,14}$/, 'must be a phone number in E.164 form')
    .optional()
    .describe('SMS and calls: the number of the sender'),
} satisfies Record<string, z.ZodType>
