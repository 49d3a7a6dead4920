// The text of emails about maintenance to subscribers of status pages.
import { statusPageUrl } from '../../links/subscription-link.ts'
import type { MaintenanceNoticeFacts } from '../../storage/alerts/mails.ts'
import { oneLine } from '../message/plain-text.ts'
import { layOutMail, type MailRenderer } from './mail-layout.ts'
import { subscriberParts } from './subscriber-parts.ts'

const statuses = {
  before: 'Planned maintenance',
  start: 'Maintenance started',
  end: 'Maintenance completed',
} satisfies Record<MaintenanceNoticeFacts['notice'], string>

const longestName = 120

export const renderMaintenanceMail: MailRenderer<MaintenanceNoticeFacts> = (mail, context) => {
  const { subscriptionId, slug, key, notice, maintenance, description, severity, services } = mail.facts
  const page = oneLine(mail.facts.page, longestName)
  const rows: [string, string][] = [
    ['Status', statuses[notice]],
    ['Begins', timeText(mail.facts.startsAt)],
    ['Ends', timeText(mail.facts.endsAt)],
  ]
  if (services.length > 0) rows.push(['Services', services.join(', ')])
  if (severity !== null) rows.push(['Expected impact', severity.charAt(0) + severity.slice(1).toLowerCase()])
  return layOutMail(mail, context, {
    subject: `[${page}] ${statuses[notice]}: ${maintenance}`,
    blocks: [
      { heading: maintenance },
      { rows },
      ...(description ? [{ paragraph: description }] : []),
      {
        link: `${statusPageUrl(context.publicUrl, slug)}/maintenance/${key}`,
        label: `Open ${page}`,
        isButton: true,
      },
    ],
    ...subscriberParts(mail, context, { subscriptionId, page, thread: `maintenance-${key}` }),
  })
}

function timeText(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}
