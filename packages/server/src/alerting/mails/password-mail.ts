// The email with a link to choose a new password.
import { resetToken } from '../../links/reset-token.ts'
import type { PasswordResetFacts } from '../../storage/alerts/mails.ts'
import { layOutMail, type MailRenderer } from './mail-layout.ts'

export const renderPasswordResetMail: MailRenderer<PasswordResetFacts> = (mail, context) => {
  const { publicUrl, sign } = context
  return layOutMail(mail, context, {
    subject: 'Choose a new password',
    blocks: [
      { heading: 'Choose a new password' },
      {
        paragraph: `Someone asked for a new password of ${mail.recipient} at ${publicUrl}. The link works once, for 24 hours.`,
      },
      {
        link: `${publicUrl}/reset#${resetToken(sign, mail.facts.linkId)}`,
        label: 'Choose a new password',
        isButton: true,
      },
    ],
    footer: [{ paragraph: "If you didn't ask for it, ignore this email. Your password stays as it is." }],
  })
}
