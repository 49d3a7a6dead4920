// Groups failures by their message without the parts that differ between runs, and its hash. Cleaning takes bounded time for
// any input: the input is truncated, and every repetition in the patterns is limited.
import { createHash } from 'node:crypto'
import { messageLines } from './error-lines.ts'

export interface ErrorGroupKey {
  cleanedErrorMessage: string
  /** SHA-256 of the cleaned message. Each check has its own groups. */
  errorHash: string
}

/** Enough for a full cleaned message after stacks and values are removed. */
const maxInputLength = 16_384
const maxMessageLength = 1_000

export function errorGroupOf(message: string): ErrorGroupKey {
  const cleanedErrorMessage = cleanErrorMessage(message)
  return {
    cleanedErrorMessage,
    errorHash: createHash('sha256').update(cleanedErrorMessage).digest('hex'),
  }
}

export function cleanErrorMessage(message: string): string {
  const text = removeControls(message.slice(0, maxInputLength))
  const cleaned = replaceVariables(messageLines(text).join('\n'))
  // A message that is only a stack keeps it.
  const kept = cleaned === '' ? replaceVariables(text) : cleaned
  return kept.slice(0, maxMessageLength).trimEnd().toWellFormed() || 'Error without a message'
}

const esc = String.fromCharCode(27)
const colors = new RegExp(String.raw`(?:${esc}|\\u001b|\\x1b)\[[0-9;:?]{0,32}[ -/]{0,4}[@-~]`, 'gi')
const links = new RegExp(String.raw`${esc}\]\P{Cc}{0,500}(?:\p{Cc}\\?)`, 'gu')
/** Color codes whose escape character was removed. */
const strippedColors = /\[\d{1,3}(?:;\d{1,3}){0,4}m/g

function removeControls(text: string): string {
  return text
    .replace(links, '')
    .replace(colors, '')
    .replace(strippedColors, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M)?`
const zone = String.raw`(?: ?(?:(?:Z|UTC|GMT)(?:[+-]\d{2}:?\d{2})?|[+-]\d{2}:?\d{2})(?!\w))?`

/** In this order: patterns that contain others come first. */
const variables: [RegExp, string | ((found: string) => string)][] = [
  // The number of other failed tests isn't part of the failure.
  [/^\d{1,6} of \d{1,6} tests failed\. /, ''],
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'`<>()[\]{}]{1,4000}/gi, generalizeUrl],
  [/(?<!\\)"(?:[^"\\\n]|\\.){0,1000}"/g, '<text>'],
  [/(?<!\\)`(?:[^`\\\n]|\\.){0,1000}`/g, '<text>'],
  // An apostrophe within a word isn't a quote.
  [/(?<![\w\\])'(?:[^'\\\n]|\\.){0,1000}'(?!\w)/g, '<text>'],
  [/“[^“”\n]{0,1000}”/g, '<text>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${time}${zone}|T\d{2}:\d{2}${zone})?`, 'g'), '<time>'],
  [
    new RegExp(String.raw`\b${day},? (?:\d{1,2} ${month}|${month} \d{1,2}) \d{4} ${time}${zone}`, 'g'),
    '<time>',
  ],
  [new RegExp(String.raw`\b${time}${zone}`, 'g'), '<time>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<ip>'],
  [/(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:\](?::\d{1,5})?)?(?![\w:])/gi, '<ip>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[a-f]{0,64}\d)[0-9a-f]{8,}\b/gi, (found) => (/[a-f]/i.test(found) ? '<hex>' : found)],
  [/[A-Za-z0-9_-]{16,}/g, (found) => (isOpaque(found) ? '<id>' : found)],
  // HTTP status codes stay: 404 and 502 are different failures.
  [
    /\bstatus (?:code )?(?:(?:was|below 400, but it was|(?:not )?to equal [1-5]\d\d, but it was) )?[1-5]\d\d(?!\d|[.,]\d)|(?:(?<!\w)[-+])?\d+(?:[.,]\d+)*/gi,
    (found) => (/^status/i.test(found) ? found : '<n>'),
  ],
]

function replaceVariables(text: string): string {
  let cleaned = text
  for (const [pattern, replacement] of variables) {
    cleaned =
      typeof replacement === 'string'
        ? cleaned.replace(pattern, replacement)
        : cleaned.replace(pattern, replacement)
  }
  return cleaned.replaceAll(/\s+/g, ' ').trim()
}

/** Keeps the scheme, the host and path segments that don't look like ids; no credentials. */
function generalizeUrl(found: string): string {
  const [scheme = '', rest = ''] = found.split('://', 2)
  const end = /[.,;:!]*$/.exec(rest.slice(-8))?.[0] ?? ''
  const [location = ''] = rest.slice(0, rest.length - end.length).split(/[?#]/, 1)
  const [authority = '', ...path] = location.split('/')
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const parts = path.map((part) => (/\d|%/.test(part) || part.length > 40 ? '*' : part))
  return `${scheme.toLowerCase()}://${[host.toLowerCase(), ...parts].join('/')}${end}`
}

/** Tokens and ids mix letters and digits; names have at most a few digits. */
function isOpaque(token: string): boolean {
  return /[A-Za-z]/.test(token) && token.replaceAll(/\D/g, '').length >= 4
}
