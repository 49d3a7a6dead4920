import { z } from 'zod'
import { networks, serviceUrl } from './fields.ts'

/** Of alerts and the ways on which they reach people. */
export const alertingSettings = {
  ALERTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: nothing is decided or sent, for a copy of an installation that must not page anyone'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?#]+/, 'must be smtp://user:password@host:port or smtps://…')
    .optional()
    .describe('Mail server for alerts, subscribers and owners; without it nothing is mailed'),
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
      'Calls to alert channels: public refuses private, loopback and CGNAT addresses. A must with several accounts',
    ),
  CHANNEL_ALLOW_NETWORKS: networks.describe(
    'Networks that channels may be reached in all the same, such as 10.1.0.0/16,fd00::/8',
  ),
  CHANNEL_DENY_NETWORKS: networks.describe('Networks that channels must not be reached in besides'),
  SLACK_API_URL: serviceUrl('https://slack.com/api').describe('Slack app channels: where Slack answers'),
  SLACK_BOT_TOKEN: z
    .string()
    .optional()
    .describe('Slack app channels: bot token, unless an account has a variable of this name'),
  PAGERDUTY_URL: serviceUrl('https://events.pagerduty.com').describe('Where PagerDuty takes events'),
  OPSGENIE_URL: serviceUrl('https://api.opsgenie.com').describe('Where Opsgenie answers, region US'),
  OPSGENIE_EU_URL: serviceUrl('https://api.eu.opsgenie.com').describe('Where Opsgenie answers, region EU'),
  TWILIO_URL: serviceUrl('https://api.twilio.com').describe('SMS and calls: Twilio, or what speaks its API'),
  TWILIO_ACCOUNT_SID: z.string().optional().describe('SMS and calls: the account there'),
  TWILIO_AUTH_TOKEN: z.string().optional().describe('SMS and calls: its token'),
  TWILIO_FROM: z
    .string()
    .regex(/^\+[1-9]\d{1,14}$/, 'must be a phone number in E.164 form')
    .optional()
    .describe('SMS and calls: the number they come from'),
} satisfies Record<string, z.ZodType>
