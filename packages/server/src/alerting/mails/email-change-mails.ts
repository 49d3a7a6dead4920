// The emails about a new address of a user: the link that confirms it, and the notice to the old one.
import { emailToken } from '../../links/email-token.ts'
import type { EmailChangeNoticeFacts, EmailConfirmationFacts } from '../../storage/alerts/mails.ts'
import { layOutMail, type MailRenderer } from './mail-layout.ts'

export const renderEmailConfirmationMail: MailRenderer<EmailConfirmationFacts> = (mail, context) => {
  const { publicUrl, sign } = context
  return layOutMail(mail, context, {
    subject: 'Confirm your new email',
    blocks: [
      { heading: 'Confirm your new email' },
      {
        paragraph: `The user ${mail.facts.oldEmail} at ${publicUrl} wants to use this address from now on. The link works once, for 24 hours.`,
      },
      {
        link: `${publicUrl}/email#${emailToken(sign, mail.facts.linkId)}`,
        label: 'Confirm the address',
        isButton: true,
      },
    ],
    footer: [{ paragraph: "If you didn't ask for it, ignore this email." }],
  })
}

export const renderEmailChangeNoticeMail: MailRenderer<EmailChangeNoticeFacts> = (mail, context) =>
  layOutMail(mail, context, {
    subject: 'Your email is about to change',
    blocks: [
      { heading: 'Your email is about to change' },
      {
        paragraph: `Someone who is signed in as you at ${context.publicUrl} asked to change your email to ${mail.facts.newEmail}. It changes when the link that was sent there is opened.`,
      },
      {
        paragraph:
          "If it wasn't you, choose a new password now: that ends the link, and all other sign-ins of yours.",
      },
      { link: `${context.publicUrl}/settings/profile`, label: 'Change your password', isButton: true },
    ],
    footer: [],
  })
