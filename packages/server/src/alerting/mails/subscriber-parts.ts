// What all emails to verified subscribers have: why they come, and how to end them.
import { subscriptionLink } from '../../links/subscription-link.ts'
import { type MailContent, type MailContext, type MailToRender, messageIdOf } from './mail-layout.ts'

/** `page`: its name. `thread`: what the email is about; email clients group by it. */
export function subscriberParts(
  { recipient }: MailToRender<unknown>,
  context: MailContext,
  { subscriptionId, page, thread }: { subscriptionId: string; page: string; thread: string },
): Required<Pick<MailContent, 'footer' | 'headers'>> {
  const unsubscribe = subscriptionLink(context, 'unsubscribe', subscriptionId)
  return {
    footer: [
      { paragraph: `You receive this email because ${recipient} is subscribed to the status page ${page}.` },
      { link: subscriptionLink(context, 'manage', subscriptionId), label: 'Choose services' },
      { link: unsubscribe, label: 'Unsubscribe' },
    ],
    headers: {
      // RFC 8058: email clients show an unsubscribe button, which sends a POST.
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      References: `<${messageIdOf(thread, context)}>`,
    },
  }
}
