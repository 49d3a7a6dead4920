// Renders the same blocks as text and as HTML, so that the two never differ.
import { type Html, html } from '../../core/html.ts'
import { lightColor } from '../../look/tokens.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import { oneLine } from '../message/plain-text.ts'

export interface MailContext {
  publicUrl: string
  /** Signs links, so that this installation recognizes them later. */
  sign: (text: string) => string
}

export interface MailToRender<Facts> {
  id: string
  recipient: string
  facts: Facts
}

/** Pure. Emails are rendered when they are sent, not when they are queued. */
export type MailRenderer<Facts> = (mail: MailToRender<Facts>, context: MailContext) => Mail

export interface MailContent {
  subject: string
  blocks: MailBlock[]
  /** Small print: why the recipient gets this email, and how to unsubscribe. */
  footer: MailBlock[]
  headers?: Record<string, string>
}

export type MailBlock =
  | { heading: string }
  | { paragraph: string }
  | { rows: [label: string, value: string][] }
  | { link: string; label: string; isButton?: boolean }

const longestSubject = 200

export function layOutMail(mail: MailToRender<unknown>, context: MailContext, content: MailContent): Mail {
  const subject = oneLine(content.subject, longestSubject)
  return {
    to: mail.recipient,
    subject,
    text: `${content.blocks.map(textOf).join('\n\n')}\n\n-- \n${content.footer.map(textOf).join('\n')}\n`,
    html: page(subject, content).text,
    messageId: messageIdOf(mail.id, context),
    ...(content.headers === undefined ? {} : { headers: content.headers }),
  }
}

/** Without brackets. The same in every attempt, so that clients show a duplicate once. */
export function messageIdOf(id: string, { publicUrl }: MailContext): string {
  return `${id}@${new URL(publicUrl).hostname.replace(/[[\]:]/g, '')}`
}

function textOf(block: MailBlock): string {
  if ('heading' in block) return oneLine(block.heading, 1000)
  if ('paragraph' in block) return block.paragraph
  if ('rows' in block)
    return block.rows.map(([label, value]) => `${label}: ${oneLine(value, 1000)}`).join('\n')
  return `${block.label}: ${block.link}`
}

function page(title: string, { blocks, footer }: MailContent): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:${lightColor('page')};color:${lightColor('text')};font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:${lightColor('surface')};border-radius:6px">
${blocks.map(htmlOf)}</div>
<div style="max-width:560px;margin:0 auto;padding:16px 24px;color:${lightColor('muted')};font-size:13px">
${footer.map(htmlOf)}</div>
</body>
</html>
`
}

const button = `display:inline-block;padding:10px 18px;background:${lightColor('accent')};color:${lightColor('on-accent')};border-radius:6px;text-decoration:none`

function htmlOf(block: MailBlock): Html {
  if ('heading' in block) return html`<h1 style="margin:0 0 16px;font-size:20px">${block.heading}</h1>\n`
  if ('paragraph' in block) {
    return html`<p style="margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere">${block.paragraph}</p>\n`
  }
  if ('rows' in block) {
    const rows = block.rows.map(([label, value]) => html`<strong>${label}:</strong> ${value}<br>\n`)
    return html`<p style="margin:0 0 16px;overflow-wrap:anywhere">${rows}</p>\n`
  }
  const style = block.isButton ? button : 'color:inherit'
  return html`<p style="margin:0 0 16px"><a href="${block.link}" style="${style}">${block.label}</a></p>\n`
}
