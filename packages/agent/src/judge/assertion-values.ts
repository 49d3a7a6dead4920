// What an assertion is about: the values that its source, property and regex pick out of what was observed.
import type { Check, Subject } from '@vedette/contracts'
import { queryJson } from '../expressions/json-path.ts'
import { findByRegex } from '../expressions/regex.ts'
import { type Comparison, numberOf } from './comparisons.ts'
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

/** `undefined` among the values: nothing was found where one was looked for. */
export type AssertionValues = { ok: true; values: unknown[] } | { ok: false; error: string }

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

export function assertionValues(assertion: Assertion, subject: Subject | undefined): AssertionValues {
  const { source } = assertion
  if (!Object.hasOwn(picks, source)) return { ok: false, error: `there is no source ${source}` }
  return subject === undefined ? { ok: false, error: absent[source] } : picks[source](assertion, subject)
}

const absent: Record<AssertionSource, string> = {
  STATUS_CODE: 'there was no response status',
  RESPONSE_TIME: 'there was no response time',
  LATENCY: 'there was no latency: no reply came',
  HEADERS: 'there were no response headers',
  JSON_BODY: 'there was no JSON body',
  JSON_ANSWER: 'there was no answer',
  JSON_RESPONSE: 'there was no response',
  TEXT_BODY: 'there was no body',
  TEXT_ANSWER: 'there was no answer',
  RESPONSE_DATA: 'there was no response data',
  RESPONSE_CODE: 'there was no response code',
}

function pickNumber({ source, target }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'number') return { ok: false, error: `${source} is not a number here` }
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
  return { ok: false, error: `the target "${target.slice(0, 200)}" is not a number` }
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
  if (subject.kind !== 'json') return { ok: false, error: `${source} is not JSON here` }
  const found = queryJson(property, subject.value)
  if (!found.ok) return found
  return byRegex(regex, found.values.length === 0 ? [undefined] : found.values)
}

function pickText({ source, property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'text') return { ok: false, error: `${source} is not text here` }
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
    if (!found.ok) return found
    picked.push(found.value ?? undefined)
  }
  return { ok: true, values: picked }
}

const maxRegexChars = 1_000_000
