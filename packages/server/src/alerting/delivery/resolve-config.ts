// Fills variables into the config of any channel. The template of a webhook is left out: it is rendered with the message, and escaped
// for its body.
import type { ChannelTools } from '../channels/channel.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { AlertMessage } from '../message/message.ts'
import { messageVariables } from '../message/message-variables.ts'

type Config = Record<string, unknown>

export async function resolveConfig(
  config: Config,
  tools: Pick<ChannelTools, 'variables' | 'renderTemplate'>,
  message?: AlertMessage,
): Promise<Config> {
  const values = { ...tools.variables, ...(message && messageVariables(message)) }

  async function resolveFields(fields: object): Promise<Config> {
    const entries = Object.entries(fields).map(async ([name, value]) => [name, await resolve(value, name)])
    return Object.fromEntries(await Promise.all(entries))
  }

  async function resolve(value: unknown, field: string): Promise<unknown> {
    if (typeof value === 'string') {
      if (field === 'template' || !value.includes('{{')) return value
      requireNames(value, values)
      return field === 'url' ? resolveUrl(value) : tools.renderTemplate(value, values, 'none')
    }
    if (Array.isArray(value)) return Promise.all(value.map((item) => resolve(item, field)))
    return typeof value === 'object' && value !== null ? resolveFields(value) : value
  }

  /** Variables may contain a whole address or path, so only the query is encoded. */
  async function resolveUrl(template: string): Promise<string> {
    const queryStart = beforeQuery.exec(template)?.[0].length ?? template.length
    const [address, query] = [template.slice(0, queryStart), template.slice(queryStart)]
    const rendered = await tools.renderTemplate(address, values, 'none')
    return query === '' ? rendered : rendered + (await tools.renderTemplate(query, values, 'uri'))
  }

  return resolveFields(config)
}

/** Everything up to the first question mark outside of a tag. */
const beforeQuery = /^(?:\{\{[^}]*\}\}\}?|[^?])*(?=\?)/

const plainTag = /\{\{\{?\s*([A-Za-z_$][\w$]*)\s*\}?\}\}/g

/** Functions of templates, which need no variable. */
const functions = new Set(['year', 'date', 'moment', '$UUID', '$RANDOM_NUMBER'])

/** An unknown variable would render as an empty string: a request to the wrong address, or without its token. */
function requireNames(template: string, values: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of template.matchAll(plainTag)) {
    if (!Object.hasOwn(values, name) && !functions.has(name)) {
      throw new DeliveryError(
        `The channel uses the variable ${name}, which doesn't exist. Create the variable, or remove it from the channel's settings.`,
        { permanent: true },
      )
    }
  }
}
