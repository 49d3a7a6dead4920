import { z } from 'zod'
import { KeyValue } from '../../core/fields.ts'
import { type ChannelDefinition, ChannelName, TemplatedHttpUrl } from '../channel-fields.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'DELETE'] as const

/** Lower-case ones are kept as they were sent: clients compare what they read back. */
const lowerCaseMethods = ['get', 'post', 'put', 'patch', 'head', 'delete'] as const

export const webhookChannel = {
  config: z
    .object({
      name: ChannelName,
      url: TemplatedHttpUrl,
      method: z.enum([...methods, ...lowerCaseMethods]).default('POST'),
      template: z.string().max(100_000).nullable().optional().describe('The body, with {{VARIABLES}}'),
      headers: z.array(KeyValue).max(100).default([]),
      queryParameters: z.array(KeyValue).max(100).default([]),
      webhookSecret: z.string().max(1000).nullable().optional().describe('Signs the body'),
      webhookType: z
        .enum([
          'WEBHOOK_MSTEAMS',
          'WEBHOOK_DISCORD',
          'WEBHOOK_TELEGRAM',
          'WEBHOOK_INCIDENTIO',
          'WEBHOOK_FIREHYDRANT',
          'WEBHOOK_GITLAB_ALERT',
          'WEBHOOK_ILERT',
          'WEBHOOK_ROOTLY',
          'WEBHOOK_SPIKESH',
          'WEBHOOK_SPLUNK',
          'WEBHOOK_CORALOGIX',
        ])
        .nullable()
        .optional()
        .describe('The tool whose format the body has'),
    })
    .meta({ id: 'WebhookChannelConfig' }),
  // Tools authenticate by secret URLs, or by tokens in headers or the query.
  secretFields: ['url', 'webhookSecret', 'headers.*.value', 'queryParameters.*.value'],
  example: {
    name: 'Pager',
    url: 'https://hooks.example.com/{{HOOK_TOKEN}}',
    method: 'POST',
    template: '{"title": "{{ALERT_TITLE}}"}',
    headers: [{ key: 'x-team', value: 'web', locked: false }],
  },
} as const satisfies ChannelDefinition
