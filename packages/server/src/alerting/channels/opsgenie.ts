// Opsgenie, Alert API v2: an episode is one alert there, closed by its alias.
import type { AlertMessage } from '../message/message.ts'
import { messageFacts } from '../message/message-facts.ts'
import { cut, oneLine } from '../message/plain-text.ts'
import { isOver } from '../message/severity.ts'
import { linkTarget, reasonOf } from '../message/wording.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { jsonCall } from './json-call.ts'
import { judgeResponse } from './transport/judge-response.ts'

type Config = ConfigOf<'OPSGENIE'>

export const opsgenieChannel: Channel<Config> = {
  render(message, config, { settings }) {
    const base = `${config.region === 'EU' ? settings.opsgenieEuUrl : settings.opsgenieUrl}/v2/alerts`
    const headers = { authorization: `GenieKey ${oneLine(config.apiKey, 1000)}` }
    const alias = cut(message.dedupKey, 512)
    if (isOver(message)) {
      const url = `${base}/${encodeURIComponent(alias)}/close?identifierType=alias`
      const note = cut(`${message.title}\n${reasonOf(message)}`, 25_000)
      return [{ key: 'close', http: jsonCall(url, { source: 'Vedette', note }, headers) }]
    }
    const alert = { ...alertOf(message), alias, priority: config.priority }
    return [{ key: 'create', http: jsonCall(base, alert, headers) }]
  },
  /** A missing alert needn't be closed. */
  judge(response, key) {
    return key === 'close' && response.status === 404 ? null : judgeResponse(response)
  },
}

function alertOf(message: AlertMessage): Record<string, unknown> {
  const facts = messageFacts(message)
  const lines = facts.map(({ name, value }) => `${name}: ${value}`)
  const details = facts.map(({ name, value }) => [name, cut(value, 500)])
  return {
    message: oneLine(message.title, 130),
    description: cut([reasonOf(message), '', ...lines, '', message.resultLink].join('\n'), 15_000),
    tags: message.tags.slice(0, 20).map((tag) => cut(tag, 50)),
    details: {
      ...Object.fromEntries(details),
      'Alert type': message.alertType,
      [linkTarget(message) === 'check' ? 'Check page' : 'Result']: message.resultLink,
    },
    entity: cut(message.checkName, 512),
    source: 'Vedette',
  }
}
