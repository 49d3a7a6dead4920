// The text of emails to subscribers of status pages.
import { statusPageUrl, subscriptionLink } from '../../links/subscription-link.ts'
import type { IncidentUpdateFacts, VerificationFacts } from '../../storage/alerts/mails.ts'
import { oneLine } from '../message/plain-text.ts'
import { layOutMail, type MailRenderer } from './mail-layout.ts'
import { subscriberParts } from './subscriber-parts.ts'

export const renderVerificationMail: MailRenderer<VerificationFacts> = (mail, context) => {
  const { subscriptionId, slug } = mail.facts
  const page = oneLine(mail.facts.page, longestName)
  return layOutMail(mail, context, {
    subject: `Confirm your subscription to ${page}`,
    blocks: [
      { heading: `Subscription to ${page}` },
      {
        paragraph: `Confirm that ${mail.recipient} should receive emails about incidents on this status page.`,
      },
      {
        link: subscriptionLink(context, 'verify', subscriptionId),
        label: 'Confirm the subscription',
        isButton: true,
      },
    ],
    footer: [
      {
        paragraph:
          "If you didn't request this, ignore this email. Without your confirmation, you won't receive any more.",
      },
      { link: statusPageUrl(context.publicUrl, slug), label: page },
    ],
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

export const renderIncidentUpdateMail: MailRenderer<IncidentUpdateFacts> = (mail, context) => {
  const { subscriptionId, slug, incidentId, incident, severity, services, status, description, at } =
    mail.facts
  const page = oneLine(mail.facts.page, longestName)
  return layOutMail(mail, context, {
    subject: `[${page}] ${capitalize(status)}: ${incident}`,
    blocks: [
      { heading: incident },
      {
        rows: [
          ['Status', capitalize(status)],
          ['Severity', capitalize(severity)],
          ['Services', services.join(', ')],
          ['Time', `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`],
        ],
      },
      { paragraph: description },
      { link: statusPageUrl(context.publicUrl, slug), label: `Open ${page}` },
    ],
    ...subscriberParts(mail, context, { subscriptionId, page, thread: incidentId }),
  })
}

const longestName = 120

/** INVESTIGATING -> Investigating */
function capitalize(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase()
}
