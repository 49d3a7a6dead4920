// Which failures are the same failure: a message without what differs from run to run, and its hash. Whatever an agent
// sends, cleaning takes a bounded time: the input is cut, and no pattern tries a place twice without a limit.
import { createHash } from 'node:crypto'
import { tellingLines } from './error-lines.ts'

export interface ErrorGroupKey {
  cleanedErrorMessage: string
  /** SHA-256 of the cleaned message; groups are kept per check. */
  errorHash: string
}

/** Enough to fill a cleaned message after stacks and values are gone. */
const longestInput = 16_384
const longestMessage = 1_000

export function errorGroupOf(message: string): ErrorGroupKey {
  const cleanedErrorMessage = cleanErrorMessage(message)
  return {
    cleanedErrorMessage,
    errorHash: createHash('sha256').update(cleanedErrorMessage).digest('hex'),
  }
}

export function cleanErrorMessage(message: string): string {
  const text = withoutControls(message.slice(0, longestInput))
  const cleaned = withoutVariables(tellingLines(text).join('\n'))
  // Of a message that is nothing but a stack, a stack is all there is to tell.
  const told = cleaned === '' ? withoutVariables(text) : cleaned
  return told.slice(0, longestMessage).trimEnd().toWellFormed() || 'Error without a message'
}

const esc = String.fromCharCode(27)
const colours = new RegExp(String.raw`(?:${esc}|\\u001b|\\x1b)\[[0-9;:?]{0,32}[ -/]{0,4}[@-~]`, 'gi')
const links = new RegExp(String.raw`${esc}\]\P{Cc}{0,500}(?:\p{Cc}\\?)`, 'gu')
/** Where something on the way took the escape character but left the rest. */
const bareColours = /\[\d{1,3}(?:;\d{1,3}){0,4}m/g

function withoutControls(text: string): string {
  return text
    .replace(links, '')
    .replace(colours, '')
    .replace(bareColours, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M)?`
const zone = String.raw`(?: ?(?:(?:Z|UTC|GMT)(?:[+-]\d{2}:?\d{2})?|[+-]\d{2}:?\d{2})(?!\w))?`

/** In this order: what holds other variables goes before them. */
const variables: [RegExp, string | ((found: string) => string)][] = [
  // How many others failed besides is no part of what failed.
  [/^\d{1,6} of \d{1,6} tests failed\. /, ''],
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'`<>()[\]{}]{1,4000}/gi, plainUrl],
  [/(?<!\\)"(?:[^"\\\n]|\\.){0,1000}"/g, '<text>'],
  [/(?<!\\)`(?:[^`\\\n]|\\.){0,1000}`/g, '<text>'],
  // An apostrophe within a word opens nothing.
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
  // A status of HTTP is no variable: 404 and 502 are different failures.
  [
    /\bstatus (?:code )?(?:(?:was|below 400, but it was|(?:not )?to equal [1-5]\d\d, but it was) )?[1-5]\d\d(?!\d|[.,]\d)|(?:(?<!\w)[-+])?\d+(?:[.,]\d+)*/gi,
    (found) => (/^status/i.test(found) ? found : '<n>'),
  ],
]

function withoutVariables(text: string): string {
  let cleaned = text
  for (const [pattern, by] of variables) {
    cleaned = typeof by === 'string' ? cleaned.replace(pattern, by) : cleaned.replace(pattern, by)
  }
  return cleaned.replaceAll(/\s+/g, ' ').trim()
}

/** Scheme, host and those parts of the path that name a thing rather than one of many; no credentials. */
function plainUrl(found: string): string {
  const [scheme = '', rest = ''] = found.split('://', 2)
  const end = /[.,;:!]*$/.exec(rest.slice(-8))?.[0] ?? ''
  const [place = ''] = rest.slice(0, rest.length - end.length).split(/[?#]/, 1)
  const [authority = '', ...path] = place.split('/')
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const parts = path.map((part) => (/\d|%/.test(part) || part.length > 40 ? '*' : part))
  return `${scheme.toLowerCase()}://${[host.toLowerCase(), ...parts].join('/')}${end}`
}

/** Tokens and ids mix letters and digits; names of things have a digit or two at most. */
function isOpaque(token: string): boolean {
  return /[A-Za-z]/.test(token) && token.replaceAll(/\D/g, '').length >= 4
}
