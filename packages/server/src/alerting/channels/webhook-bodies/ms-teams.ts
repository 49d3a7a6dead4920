// Microsoft Teams, the webhook of a workflow: an Adaptive Card.
import { messageFacts } from '../../message/message-facts.ts'
import { cut } from '../../message/plain-text.ts'
import { type Severity, severityOf } from '../../message/severity.ts'
import { linkLabel, reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

const colors = { critical: 'Attention', warning: 'Warning', ok: 'Good' } satisfies Record<Severity, string>

export const msTeamsBody: WebhookBody = (message) => {
  const facts = messageFacts(message).map(({ name, value }) => ({
    title: name,
    value: escapeMarkdown(cut(value, 1000)),
  }))
  const heading = { type: 'TextBlock', size: 'Large', weight: 'Bolder', color: colors[severityOf(message)] }
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      { ...heading, text: escapeMarkdown(message.title), wrap: true },
      { type: 'TextBlock', text: escapeMarkdown(reasonOf(message)), wrap: true },
      { type: 'FactSet', facts },
    ],
    actions: [{ type: 'Action.OpenUrl', title: linkLabel(message), url: message.resultLink }],
  }
  const attachment = {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: card,
  }
  return { type: 'message', summary: message.title, attachments: [attachment] }
}

/** Cards render Markdown, so a name must not become a link. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]]/g, '\\$&')
}
