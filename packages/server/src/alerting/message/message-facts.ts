// The details of a message besides title and reason, as names and values, for channels that show a table.
import { checkTypes } from '@vedette/contracts'
import type { AlertMessage } from './message.ts'
import { cut, oneLine } from './plain-text.ts'
import { episodeDuration, instantInWords, responseTimeInWords, statusWords } from './wording.ts'

export interface MessageFact {
  name: string
  value: string
}

const maxValueChars = 500
const maxErrorChars = 4000

/** Leaves out unknown values. Every value except the error is one line. */
export function messageFacts(message: AlertMessage): MessageFact[] {
  return namedFacts(message).flatMap(([name, value]) =>
    value === null || value.trim() === '' ? [] : [{ name, value: toText(name, value) }],
  )
}

function namedFacts(message: AlertMessage): [string, string | null][] {
  const { episodeAt, ssl, statusCode, responseTimeMs, alarm } = message
  if (alarm !== undefined) {
    const more = alarm.checkCount - alarm.checks.length
    return [
      ['Location', message.locationText],
      ['Checks', [...alarm.checks, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')],
      ['Since', episodeAt === null ? null : sinceWords(message, episodeAt)],
      ['Account', message.accountName],
    ]
  }
  return [
    ['Check', message.checkName],
    ['Type', checkTypes[message.checkType].title.replace(/^an? /, '')],
    ['Group', message.groupName],
    ['Location', message.locationText],
    ['Domain', ssl?.domain ?? null],
    ['Days remaining', ssl === null ? null : String(ssl.daysRemaining)],
    ['Error', message.error],
    ['Status', statusCode === null ? null : statusWords(statusCode, message.statusText)],
    ['Response time', responseTimeMs === null ? null : responseTimeInWords(responseTimeMs)],
    ['Since', episodeAt === null ? null : sinceWords(message, episodeAt)],
    ['Started', instantInWords(message.startedAt)],
    ['Tags', message.tags.join(', ')],
    ['Probable cause', message.analysis?.rootCause ?? null],
    ['Account', message.accountName],
  ]
}

function toText(name: string, value: string): string {
  if (name === 'Error') return cut(value.trim(), maxErrorChars)
  return oneLine(value, name === 'Checks' ? maxErrorChars : maxValueChars)
}

function sinceWords(message: AlertMessage, episodeAt: string): string {
  const lasted = episodeDuration(message)
  return instantInWords(episodeAt) + (lasted === null ? '' : ` (${lasted})`)
}
