// PagerDuty, Events API v2: an episode is one alert there, opened and resolved under the same key.
import type { AlertMessage } from '../message/message.ts'
import { messageVariables } from '../message/message-variables.ts'
import { cut, oneLine } from '../message/plain-text.ts'
import { isOver, type Severity, severityOf } from '../message/severity.ts'
import { linkLabel, reasonOf } from '../message/wording.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { jsonCall } from './json-call.ts'

export const pagerdutyChannel: Channel<ConfigOf<'PAGERDUTY'>> = {
  render(message, { serviceKey }, { settings }) {
    const event = {
      routing_key: serviceKey,
      event_action: isOver(message) ? 'resolve' : 'trigger',
      dedup_key: cut(message.dedupKey, 255),
      client: 'Vedette',
      client_url: message.resultLink,
      links: [{ href: message.resultLink, text: linkLabel(message) }],
      payload: payloadOf(message),
    }
    return [{ key: 'event', http: jsonCall(`${settings.pagerdutyUrl}/v2/enqueue`, event) }]
  },
}

const severities = { critical: 'critical', warning: 'warning', ok: 'info' } satisfies Record<Severity, string>

function payloadOf(message: AlertMessage): Record<string, unknown> {
  const { $UUID, $RANDOM_NUMBER, ...variables } = messageVariables(message)
  return {
    summary: cut(message.title, 1024),
    source: oneLine(message.checkName, 255) || message.checkId,
    severity: severities[severityOf(message)],
    timestamp: message.startedAt,
    component: message.checkType,
    ...(message.groupName !== null && { group: oneLine(message.groupName, 255) }),
    class: message.alertType,
    custom_details: {
      reason: reasonOf(message),
      ...variables,
      CHECK_ERROR_MESSAGE: message.error === null ? null : cut(message.error, 8000),
    },
  }
}
