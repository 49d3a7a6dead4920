// A message in Slack's form, for webhooks and for the app.
import type { AlertMessage } from './message.ts'
import { messageFacts } from './message-facts.ts'
import { cut } from './plain-text.ts'
import { colourOf } from './severity.ts'
import { linkLabel, reasonOf } from './wording.ts'

const maxFields = 10
const maxFieldChars = 300
const maxErrorChars = 2500

/** `text` is what notifications show; the rest stands in an attachment, for the colour at its side. */
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
    attachments: [{ color: colourOf(message), blocks }],
  }
}

const markdown = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })

/** These three are all that Slack gives a meaning of its own; without them there is no mention and no link. */
function escapeSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Cut before it is escaped: an entity is at most five times as long as its character. */
function codeBlock(error: string): string {
  const text = cut(error.replaceAll('```', "'''"), maxErrorChars)
  const escaped = escapeSlack(text)
  return `\`\`\`${escaped.length <= 2900 ? escaped : escapeSlack(cut(text, 500))}\`\`\``
}

function linkTarget(url: string): string {
  return escapeSlack(url.replaceAll('|', '%7C').replaceAll('>', '%3E').replaceAll('<', '%3C'))
}
