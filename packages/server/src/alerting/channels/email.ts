// Email: one per address, so that a refused address doesn't delay the others.
import { createHash } from 'node:crypto'
import { mailHtml, mailText } from '../message/mail-body.ts'
import type { AlertMessage } from '../message/message.ts'
import { oneLine } from '../message/plain-text.ts'
import { isOver } from '../message/severity.ts'
import type { Channel, ConfigOf, Part } from './channel.ts'

export const emailChannel: Channel<ConfigOf<'EMAIL'>> = {
  render(message, { address }, { settings }) {
    const domain = domainOf(settings.mailFrom)
    const content = {
      subject: oneLine(message.title, 400),
      text: mailText(message),
      html: mailHtml(message),
      headers: headersOf(message, domain),
    }
    return addressesOf(address).map((to): Part => {
      const messageId = `${message.id}.${shortHash(to.toLowerCase())}@${domain}`
      return { key: to, mail: { to, messageId, ...content } }
    })
  },
}

function addressesOf(list: string): string[] {
  const addresses = list.split(',').map((address) => address.trim())
  return [...new Set(addresses.filter((address) => address !== ''))]
}

/** All emails of an episode reference the same id, which no email has: clients show them as one thread. */
function headersOf(message: AlertMessage, domain: string): Record<string, string> {
  const root = `<episode.${shortHash(message.dedupKey)}@${domain}>`
  const isReply = isOver(message) || message.isReminder
  return {
    References: root,
    ...(isReply && { 'In-Reply-To': root }),
    'X-Vedette-Alert': oneLine(message.alertType, 100),
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

function domainOf(from: string): string {
  return /@([a-z0-9.-]+)/i.exec(from)?.[1]?.toLowerCase() ?? 'localhost'
}
