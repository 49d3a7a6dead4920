// The maintenance of a status page as iCalendar (RFC 5545): one event per occurrence, in UTC.
import type { RenderedDocument } from '../document.ts'
import type { StatusContent } from './content.ts'
import type { ShownMaintenance } from './maintenance.ts'
import { affectedNames } from './maintenance-html.ts'
import { severityState } from './uptime.ts'
import type { View } from './view.ts'

const headers = {
  'content-type': 'text/calendar; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

// Without events, a calendar still needs a component.
const utc = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]

export function calendarOf(content: StatusContent, view: View): RenderedDocument {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Vedette//Status pages//EN',
    `NAME:${escapeText(content.page.name)}`,
    `X-WR-CALNAME:${escapeText(content.page.name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...utc,
    ...content.maintenance.flatMap((one) => eventOf(one, content, view)),
    'END:VCALENDAR',
  ]
  return { text: lines.map((line) => `${foldLine(line)}\r\n`).join(''), headers }
}

function eventOf(one: ShownMaintenance, content: StatusContent, { speech: { texts }, url }: View): string[] {
  const { window } = one
  const { severity } = window.visibility
  const names = affectedNames(one, content.services)
  const text = [
    ...(window.description ? [window.description] : []),
    ...(names.length > 0 ? [`${texts.affected}: ${names.join(', ')}`] : []),
    ...(severity === null ? [] : [`${texts.expectedImpact}: ${texts.states[severityState(severity)]}`]),
  ].join('\n\n')
  return [
    'BEGIN:VEVENT',
    // The same whatever the host and language, so that clients recognize the event.
    `UID:${one.key}@${content.page.id}`,
    // Without a METHOD, this is the time of the last change.
    `DTSTAMP:${timeOf(Date.parse(window.changedAt))}`,
    `DTSTART:${timeOf(one.start)}`,
    `DTEND:${timeOf(one.end)}`,
    `SUMMARY:${escapeText(window.name)}`,
    ...(text === '' ? [] : [`DESCRIPTION:${escapeText(text)}`]),
    `URL:${url}/maintenance/${one.key}`,
    // Subscribers aren't busy at that time.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/[^\t\x20-\x7e\x80-\u{10ffff}]/gu, '')
}

const maxOctets = 75

/** Lines have at most 75 octets; longer ones continue after a space. Characters stay whole. */
function foldLine(line: string): string {
  let [folded, octets] = ['', 0]
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > maxOctets) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}
