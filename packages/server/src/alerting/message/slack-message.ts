// Renders a message as blocks for Slack webhooks and the Slack app.
import type { AlertMessage } from './message.ts'
import { messageFacts } from './message-facts.ts'
import { cut } from './plain-text.ts'
import { colorOf } from './severity.ts'
import { linkLabel, reasonOf } from './wording.ts'

const maxFields = 10
const maxFieldChars = 300
const maxErrorChars = 2500

/** Notifications show `text`. The rest is an attachment, because only attachments have a color. */
export function slackMessage(message: AlertMessage): Record<string, unknown> {
  const facts = messageFacts(message)
  const error = facts.find(({ name }) => name === 'Error')?.value ?? ''
  const fields = facts
    .filter(({ name }) => name !== 'Error' && name !== 'Check')
    .slice(0, maxFields)
    .map(({ name, value }) => markdown(`*${name}*\n${escapeSlack(cut(value, maxFieldChars))}`))
  const blocks = [
    { type: 'section', text: markdown(escapeSlack(reasonOf(message))) },
    ...(error.includes('\n') ? [{ type: 'section', text: markdown(codeBlock(error)) }] : []),
    { type: 'section', fields },
    { type: 'section', text: markdown(`<${linkTarget(message.resultLink)}|${linkLabel(message)}>`) },
  ]
  return {
    text: `*${escapeSlack(message.title)}*`,
    attachments: [{ color: colorOf(message), blocks }],
  }
}

const markdown = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })

/** The only control characters of Slack: without them, text can't contain a mention or a link. */
function escapeSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Cut before escaping; an entity is up to five times as long as its character. */
function codeBlock(error: string): string {
  const text = cut(error.replaceAll('```', "'''"), maxErrorChars)
  const escaped = escapeSlack(text)
  return `\`\`\`${escaped.length <= 2900 ? escaped : escapeSlack(cut(text, 500))}\`\`\``
}

function linkTarget(url: string): string {
  return escapeSlack(url.replaceAll('|', '%7C').replaceAll('>', '%3E').replaceAll('<', '%3C'))
}
