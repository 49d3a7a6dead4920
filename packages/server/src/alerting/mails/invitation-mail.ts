// The email that invites someone to an account.
import { inviteToken } from '../../links/invite-token.ts'
import type { InvitationFacts } from '../../storage/alerts/mails.ts'
import { oneLine } from '../message/plain-text.ts'
import { layOutMail, type MailRenderer } from './mail-layout.ts'

const longestName = 120

export const renderInvitationMail: MailRenderer<InvitationFacts> = (mail, context) => {
  const { linkId, account, inviter, role } = mail.facts
  const name = oneLine(account, longestName)
  const by = inviter === '' ? 'You are invited' : `${oneLine(inviter, longestName)} invites you`
  return layOutMail(mail, context, {
    subject: `Invitation to ${name}`,
    blocks: [
      { heading: `Invitation to ${name}` },
      {
        paragraph: `${by} to ${name} at ${context.publicUrl}, with the role ${role}. The link works once, for 24 hours.`,
      },
      {
        link: `${context.publicUrl}/invite#${inviteToken(context.sign, linkId)}`,
        label: 'Accept the invitation',
        isButton: true,
      },
    ],
    footer: [{ paragraph: "If you don't know the sender, ignore this email." }],
  })
}
