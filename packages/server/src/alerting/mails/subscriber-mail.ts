// The text of emails to subscribers of status pages.
import { statusPageUrl, subscriptionLink } from '../../links/subscription-link.ts'
import type { ConfirmationFacts, IncidentUpdateFacts } from '../../storage/alerts/mails.ts'
import { oneLine } from '../message/plain-text.ts'
import { layOutMail, type MailContext, type MailRenderer, type MailToRender } from './mail-layout.ts'
import { subscriberParts } from './subscriber-parts.ts'

export const renderVerificationMail: MailRenderer<ConfirmationFacts> = (mail, context) => {
  const { facts, recipient } = mail
  const page = oneLine(facts.page, longestName)
  return layOutMail(mail, context, {
    subject: `Confirm your subscription to ${page}`,
    blocks: [
      { heading: `Subscription to ${page}` },
      {
        paragraph: `Confirm that ${recipient} should receive emails about incidents on this status page.`,
      },
      { rows: [['Services', servicesIn(facts)]] },
      {
        link: confirmationLink('verify', mail, context),
        label: 'Confirm the subscription',
        isButton: true,
      },
    ],
    footer: [
      {
        paragraph:
          "If you didn't request this, ignore this email. Without your confirmation, you won't receive any more.",
      },
      { link: statusPageUrl(context.publicUrl, facts.slug), label: page },
    ],
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

export const renderChangeMail: MailRenderer<ConfirmationFacts> = (mail, context) => {
  const { facts, recipient } = mail
  const page = oneLine(facts.page, longestName)
  return layOutMail(mail, context, {
    subject: `Confirm the change of your subscription to ${page}`,
    blocks: [
      { heading: `Subscription to ${page}` },
      {
        paragraph: `${recipient} is subscribed already. Confirm that these services should apply from now on.`,
      },
      { rows: [['Services', servicesIn(facts)]] },
      { link: confirmationLink('manage', mail, context), label: 'Review the change', isButton: true },
    ],
    footer: [
      { paragraph: "If you didn't request this, ignore this email. Your subscription stays as it is." },
      {
        link: subscriptionLink(context, 'unsubscribe', facts.subscriptionId),
        label: 'Unsubscribe',
      },
    ],
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

/** It names the mail, because the mail holds the services that are confirmed. */
function confirmationLink(
  purpose: 'verify' | 'manage',
  { id, facts }: MailToRender<ConfirmationFacts>,
  context: MailContext,
): string {
  return `${subscriptionLink(context, purpose, facts.subscriptionId)}?mail=${id}`
}

function servicesIn({ chosen }: ConfirmationFacts): string {
  return chosen == null ? 'All' : chosen.map(({ name }) => name).join(', ')
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
      { link: statusPageUrl(context.publicUrl, slug), label: `Open ${page}`, isButton: true },
    ],
    ...subscriberParts(mail, context, { subscriptionId, page, thread: incidentId }),
  })
}

const longestName = 120

/** INVESTIGATING -> Investigating */
function capitalize(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase()
}
