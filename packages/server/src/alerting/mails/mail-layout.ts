// Renders the same blocks as text and as HTML, so that the two never differ.
import { type Html, html } from '../../core/html.ts'
import { colorValue } from '../../look/tokens.ts'
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

/** Inline, because many readers of mail ignore style sheets. */
const light = (property: string, token: string) => `${property}:${colorValue(token, 'light')}`
const dark = (property: string, token: string) => `${property}:${colorValue(token, 'dark')}!important`

/** For readers that support both themes. */
const darkSheet = `@media (prefers-color-scheme:dark){
body{${dark('background', 'page')};${dark('color', 'text')}}
.card{${dark('background', 'surface')}}
.small{${dark('color', 'muted')}}
.button{${dark('background', 'accent')};${dark('color', 'on-accent')}}
}`

function page(title: string, { blocks, footer }: MailContent): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${darkSheet}</style></head>
<body style="margin:0;padding:24px;${light('background', 'page')};${light('color', 'text')};font:16px/1.5 system-ui,sans-serif">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px;${light('background', 'surface')};border-radius:6px">
${blocks.map(htmlOf)}</div>
<div class="small" style="max-width:560px;margin:0 auto;padding:16px 24px;${light('color', 'muted')};font-size:13px">
${footer.map(htmlOf)}</div>
</body>
</html>
`
}

const button = `display:inline-block;padding:10px 18px;${light('background', 'accent')};${light('color', 'on-accent')};border-radius:6px;text-decoration:none`

function htmlOf(block: MailBlock): Html {
  if ('heading' in block) return html`<h1 style="margin:0 0 16px;font-size:20px">${block.heading}</h1>\n`
  if ('paragraph' in block) {
    return html`<p style="margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere">${block.paragraph}</p>\n`
  }
  if ('rows' in block) {
    const rows = block.rows.map(([label, value]) => html`<strong>${label}:</strong> ${value}<br>\n`)
    return html`<p style="margin:0 0 16px;overflow-wrap:anywhere">${rows}</p>\n`
  }
  const [name, style] = block.isButton ? ['button', button] : ['link', 'color:inherit']
  return html`<p style="margin:0 0 16px"><a class="${name}" href="${block.link}" style="${style}">${block.label}</a></p>\n`
}
