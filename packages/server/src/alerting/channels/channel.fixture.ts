// The tools that channels get from delivery, with addresses of test servers.
import { renderAlertTemplate } from '@vedette/safeguards/alert-template'
import type { ChannelTools } from './channel.ts'
import { DeliveryError } from './transport/delivery-error.ts'

export function exampleTools(over: Partial<ChannelTools> = {}): ChannelTools {
  return {
    now: Date.UTC(2026, 0, 1, 0, 12, 30),
    settings: {
      publicUrl: 'https://vedette.test',
      mailFrom: 'Vedette <alerts@vedette.test>',
      slackApiUrl: 'https://slack.test/api',
      slackBotToken: 'xoxb-of-the-operator',
      pagerdutyUrl: 'https://pagerduty.test',
      opsgenieUrl: 'https://opsgenie.test',
      opsgenieEuUrl: 'https://eu.opsgenie.test',
      twilio: {
        apiUrl: 'https://twilio.test',
        accountSid: 'AC0123',
        authToken: 'token-of-the-operator',
        from: '+14155550199',
      },
    },
    variables: {},
    renderTemplate: async (template, values, escaping) => {
      const rendered = renderAlertTemplate(template, values, escaping)
      if (!rendered.ok) throw new DeliveryError(rendered.error, { permanent: true })
      return rendered.text
    },
    ...over,
  }
}
