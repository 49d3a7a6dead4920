// Variables filled into a channel's config, for all channels in one place. The template of a webhook is left alone: it is
// rendered with the message, and escaped as its body needs it.
import type { ChannelTools } from '../channels/channel.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { AlertMessage } from '../message/message.ts'
import { messageVariables } from '../message/message-variables.ts'

export async function resolveConfig<C>(
  config: C,
  tools: Pick<ChannelTools, 'variables' | 'renderTemplate'>,
  message?: AlertMessage,
): Promise<C> {
  const values = { ...tools.variables, ...(message && messageVariables(message)) }

  async function resolve(value: unknown, field: string): Promise<unknown> {
    if (typeof value === 'string') {
      if (field === 'template' || !value.includes('{{')) return value
      requireNames(value, values)
      return field === 'url' ? resolveUrl(value) : tools.renderTemplate(value, values, 'none')
    }
    if (Array.isArray(value)) return Promise.all(value.map((item) => resolve(item, field)))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, item]) => [name, await resolve(item, name)])
    return Object.fromEntries(await Promise.all(entries))
  }

  /** Variables hold whole addresses and paths, which must stay what they are; in a query a value is one value. */
  async function resolveUrl(template: string): Promise<string> {
    const mark = queryMark.exec(template)?.[0].length ?? template.length
    const [address, query] = [template.slice(0, mark), template.slice(mark)]
    const rendered = await tools.renderTemplate(address, values, 'none')
    return query === '' ? rendered : rendered + (await tools.renderTemplate(query, values, 'uri'))
  }

  return (await resolve(config, '')) as C
}

/** All up to the question mark that stands in no tag. */
const queryMark = /^(?:\{\{[^}]*\}\}\}?|[^?])*(?=\?)/

const plainTag = /\{\{\{?\s*([A-Za-z_$][\w$]*)\s*\}?\}\}/g

/** What can be said without a value. */
const functions = new Set(['year', 'date', 'moment', '$UUID', '$RANDOM_NUMBER'])

/** A name that is not known would be rendered as nothing: a call to the wrong address, or without its token. */
function requireNames(template: string, values: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of template.matchAll(plainTag)) {
    if (!Object.hasOwn(values, name) && !functions.has(name)) {
      throw new DeliveryError(
        `The channel uses the variable ${name}, which doesn't exist. Create the variable, or remove it from the channel's settings.`,
        {
          permanent: true,
        },
      )
    }
  }
}
