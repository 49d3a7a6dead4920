// What an assertion is about: the values that its source, property and regex pick out of what was observed.
import type { Check, Subject } from '@vedette/contracts'
import { queryJson } from '@vedette/safeguards/json-path'
import { findByRegex } from '@vedette/safeguards/regex'
import { isJson } from '../net/http-body.ts'
import { type Comparison, numberOf } from './comparisons.ts'
import { jsonProblem } from './json-problem.ts'
import { jsonText } from './show-value.ts'

type Asserting = Extract<Check, { checkType: 'API' | 'URL' | 'TCP' | 'DNS' | 'ICMP' }>

type AssertionSource = Asserting['request']['assertions'][number]['source']

export interface Assertion {
  source: AssertionSource
  comparison: Comparison
  property: string
  target: string
  regex?: string | null
}

/** `undefined` among the values: nothing was found where one was looked for. `error` is a sentence. */
export type AssertionValues = { ok: true; values: unknown[] } | { ok: false; error: string }

export type Subjects = Readonly<Record<string, Subject>>

type Pick = (assertion: Assertion, subject: Subject) => AssertionValues

const picks = {
  STATUS_CODE: pickNumber,
  RESPONSE_TIME: pickNumber,
  LATENCY: pickLatency,
  HEADERS: pickHeader,
  JSON_BODY: pickJson,
  JSON_ANSWER: pickJson,
  JSON_RESPONSE: pickJson,
  TEXT_BODY: pickText,
  TEXT_ANSWER: pickText,
  RESPONSE_DATA: pickText,
  RESPONSE_CODE: pickText,
} satisfies Record<AssertionSource, Pick>

export function assertionValues(assertion: Assertion, subjects: Subjects): AssertionValues {
  const { source } = assertion
  if (!Object.hasOwn(picks, source))
    return { ok: false, error: `The assertion has an unknown source, ${source}.` }
  const subject = Object.hasOwn(subjects, source) ? subjects[source] : undefined
  if (subject !== undefined) return picks[source](assertion, subject)
  return { ok: false, error: source === 'JSON_BODY' ? noJsonBody(subjects) : absent[source] }
}

const absent: Record<AssertionSource, string> = {
  STATUS_CODE: 'There was no response, so there is no status code.',
  RESPONSE_TIME: "The response time wasn't measured.",
  LATENCY: "There was no reply, so the latency wasn't measured.",
  HEADERS: 'There was no response, so there are no headers.',
  JSON_BODY: 'There was no response, so there is no JSON body.',
  JSON_ANSWER: 'There was no DNS response.',
  JSON_RESPONSE: 'There was no response.',
  TEXT_BODY: 'There was no response, so there is no body.',
  TEXT_ANSWER: 'There was no DNS response.',
  RESPONSE_DATA: "The target didn't send any data.",
  RESPONSE_CODE: 'There was no DNS response, so there is no response code.',
}

/** Only bodies with a JSON content type are parsed. */
function noJsonBody({ TEXT_BODY: text, HEADERS: headers }: Subjects): string {
  if (headers?.kind !== 'named') return absent.JSON_BODY
  if (text?.kind === 'text' && text.value.trim() === '')
    return 'The response has an empty body, so there is no JSON.'
  const contentType = Object.entries(headers.values).find(
    ([name]) => name.toLowerCase() === 'content-type',
  )?.[1]
  const type = String(contentType ?? '')
  if (text?.kind === 'text' && isJson(type))
    return `The response body isn't valid JSON: ${jsonProblem(text.value)}.`
  return type === ''
    ? 'The response has no content type, so its body is not read as JSON.'
    : `The response isn't JSON: its content type is ${type.slice(0, 100)}.`
}

const names: Record<AssertionSource, string> = {
  STATUS_CODE: 'the status code',
  RESPONSE_TIME: 'the response time',
  LATENCY: 'the latency',
  HEADERS: 'the response headers',
  JSON_BODY: 'the JSON body',
  JSON_ANSWER: 'the DNS response',
  JSON_RESPONSE: 'the response',
  TEXT_BODY: 'the body',
  TEXT_ANSWER: 'the DNS response',
  RESPONSE_DATA: 'the response data',
  RESPONSE_CODE: 'the response code',
}

/** What is asserted on, as a sentence names it: `$.status of the JSON body`. */
export function subjectName({ source, property, regex }: Assertion): string {
  const name = Object.hasOwn(names, source) ? names[source] : source
  const inner = cutTo(property, 200)
  if (property === '') return regex && isText(source) ? matchName(regex, name) : name
  if (source === 'HEADERS') return regex ? matchName(regex, `the header ${inner}`) : `the header ${inner}`
  if (source === 'LATENCY') return `the ${inner} latency`
  if (isText(source)) return matchName(property, name)
  if (source === 'STATUS_CODE' || source === 'RESPONSE_TIME') return name
  return regex ? matchName(regex, `${inner} of ${name}`) : `${inner} of ${name}`
}

/** Why a value isn't there, as a clause. */
export function missingText({ source, property, regex }: Assertion): string {
  const name = names[source]
  const path = cutTo(property, 200)
  if (isText(source)) return `the regular expression matches nothing in ${name}`
  if (source === 'HEADERS') {
    const header = `the response has no header ${path}`
    return regex ? `${header} that the regular expression matches` : header
  }
  if (regex) return `the regular expression matches nothing in ${path} of ${name}, or it is missing`
  return /[*?]|\.\./.test(path) ? `nothing in ${name} matches ${path}` : `${name} has no property ${path}`
}

const isText = (source: AssertionSource) => picks[source] === pickText

const matchName = (regex: string, name: string) => `the match of /${cutTo(regex, 100)}/ in ${name}`

const cutTo = (text: string, chars: number) => (text.length > chars ? `${text.slice(0, chars)}…` : text)

function pickNumber({ source, target }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'number') return { ok: false, error: `${source} isn't a number in this check.` }
  return withNumericTarget(target, subject.value)
}

function pickLatency({ property, target }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'named') return { ok: false, error: absent.LATENCY }
  const value = subject.values[property === '' ? 'avg' : property]
  if (typeof value !== 'number') return { ok: false, error: absent.LATENCY }
  return withNumericTarget(target, value)
}

function withNumericTarget(target: string, value: number): AssertionValues {
  if (numberOf(target) !== null) return { ok: true, values: [value] }
  return { ok: false, error: `The assertion's target "${target.slice(0, 200)}" isn't a number.` }
}

function pickHeader({ property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'named') return { ok: false, error: absent.HEADERS }
  const headers = Object.entries(subject.values).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  )
  if (property === '') return byRegex(regex, [Object.fromEntries(headers)])
  const wanted = property.trim().toLowerCase()
  return byRegex(regex, [headers.find(([name]) => name === wanted)?.[1]])
}

function pickJson({ source, property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'json') return { ok: false, error: `${source} isn't JSON in this check.` }
  const found = queryJson(property, subject.value)
  if (!found.ok) return unusable(found.error)
  return byRegex(regex, found.values.length === 0 ? [undefined] : found.values)
}

function pickText({ source, property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'text') return { ok: false, error: `${source} isn't text in this check.` }
  return byRegex(property !== '' ? property : regex, [subject.value])
}

function byRegex(regex: string | null | undefined, values: unknown[]): AssertionValues {
  if (regex === null || regex === undefined || regex === '') return { ok: true, values }
  const picked: unknown[] = []
  for (const value of values) {
    if (value === undefined) {
      picked.push(undefined)
      continue
    }
    const found = findByRegex(regex, typeof value === 'string' ? value : jsonText(value, maxRegexChars))
    if (!found.ok) return unusable(found.error)
    picked.push(found.value ?? undefined)
  }
  return { ok: true, values: picked }
}

function unusable(problem: string): AssertionValues {
  return { ok: false, error: `The assertion can't be evaluated: ${problem}.` }
}

const maxRegexChars = 1_000_000
