// Renders a message as text and HTML of an email. The HTML sets neither background nor text color, so it is readable in light and
// dark mode.
import { type Html, html } from '../../core/html.ts'
import type { AlertMessage } from './message.ts'
import { type MessageFact, messageFacts } from './message-facts.ts'
import { colorOf } from './severity.ts'
import { linkLabel, reasonOf } from './wording.ts'

const testNote = 'This is a test message: no check has changed.'

export function mailText(message: AlertMessage): string {
  return [
    message.title,
    reasonOf(message),
    '',
    ...messageFacts(message).map(({ name, value }) => `${name}: ${value}`),
    '',
    `${linkLabel(message)}: ${message.resultLink}`,
    ...(message.analysis === null ? [] : [`Analysis: ${message.analysis.link}`]),
    ...(message.isTest ? ['', testNote] : []),
    '',
  ].join('\n')
}

const fonts = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

export function mailHtml(message: AlertMessage): string {
  const { title, resultLink, analysis, isTest } = message
  const color = colorOf(message)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
</head>
<body style="margin:0;padding:16px;font:15px/1.5 ${fonts}">
<div style="max-width:640px;border-left:4px solid ${color};padding:4px 0 4px 16px">
<h1 style="margin:0 0 4px;font-size:19px;line-height:1.3">${title}</h1>
<p style="margin:0 0 16px">${reasonOf(message)}</p>
<table style="border-collapse:collapse;width:100%">
${messageFacts(message).map(row)}</table>
<p style="margin:16px 0 0">${link(resultLink, linkLabel(message), color)}</p>
${analysis && html`<p style="margin:8px 0 0">${link(analysis.link, 'Why it failed', color)}</p>\n`}
${isTest ? html`<p style="margin:16px 0 0;font-size:13px">${testNote}</p>\n` : null}</div>
</body>
</html>
`
  return page.text
}

const cell = 'padding:6px 0;border-top:1px solid #8886;vertical-align:top;text-align:left'

function row({ name, value }: MessageFact): Html {
  return html`<tr><th scope="row" style="${cell};width:130px;font-weight:normal;opacity:.75">${name}</th>
<td style="${cell};white-space:pre-wrap;overflow-wrap:anywhere">${value}</td></tr>\n`
}

/** Links only http and https addresses. */
function link(url: string, text: string, color: string): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" style="color:${color};font-weight:600">${text}</a>`
    : html`${text}`
}
