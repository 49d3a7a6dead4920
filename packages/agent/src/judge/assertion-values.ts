// Picks the values that an assertion compares, by its source, property and regex.
import type { AssertionSource, Subject } from '@vedette/contracts'
import { assertionSources } from '@vedette/contracts/type-facts'
import { queryJson } from '@vedette/safeguards/json-path'
import { findByRegex } from '@vedette/safeguards/regex'
import { isJson } from '../net/http-body.ts'
import { type Comparison, numberOf } from './comparisons.ts'
import { jsonProblem } from './json-problem.ts'
import { jsonText } from './show-value.ts'

type SourceName = keyof typeof assertionSources

export interface Assertion {
  source: SourceName
  comparison: Comparison
  property: string
  target: string
  regex?: string | null
}

/** `undefined` among the values: the value doesn't exist. `error` is a sentence. */
export type AssertionValues = { ok: true; values: unknown[] } | { ok: false; error: string }

export type Subjects = Readonly<Record<string, Subject>>

type PickValues = (assertion: Assertion, subject: Subject) => AssertionValues

const picks = {
  number: pickNumber,
  latency: pickLatency,
  headers: pickHeader,
  json: pickJson,
  text: pickText,
} satisfies Record<AssertionSource['kind'], PickValues>

const sources: Readonly<Record<SourceName, AssertionSource>> = assertionSources

const sourcesByName = new Map<string, AssertionSource>(Object.entries(sources))

/** Null: no check type has this source. */
export function findSource(name: string): AssertionSource | null {
  return sourcesByName.get(name) ?? null
}

export function assertionValues(assertion: Assertion, subjects: Subjects): AssertionValues {
  const { source: name } = assertion
  const source = findSource(name)
  if (source === null) return { ok: false, error: `The assertion has an unknown source, ${name}.` }
  const subject = Object.hasOwn(subjects, name) ? subjects[name] : undefined
  if (subject !== undefined) return picks[source.kind](assertion, subject)
  return { ok: false, error: name === 'JSON_BODY' ? noJsonBody(subjects) : source.absent }
}

/** Only bodies with a JSON content type are parsed. */
function noJsonBody({ TEXT_BODY: text, HEADERS: headers }: Subjects): string {
  if (headers?.kind !== 'named') return sources.JSON_BODY.absent
  if (text?.kind === 'text' && text.value.trim() === '')
    return 'The response has an empty body, so there is no JSON.'
  const contentType = Object.entries(headers.values).find(
    ([name]) => name.toLowerCase() === 'content-type',
  )?.[1]
  const type = String(contentType ?? '')
  if (text?.kind === 'text' && isJson(type))
    return `The response body isn't valid JSON: ${jsonProblem(text.value)}.`
  return type === ''
    ? "The response has no content type, so its body isn't read as JSON."
    : `The response isn't JSON: its content type is ${type.slice(0, 100)}.`
}

/** The subject of an assertion in a sentence: `$.status of the JSON body`. */
export function subjectName({ source: sourceName, property, regex }: Assertion): string {
  const source = findSource(sourceName)
  if (source === null) return sourceName
  const { kind, name, entry = 'header' } = source
  const inner = truncate(property, 200)
  if (property === '') return regex && kind === 'text' ? matchName(regex, name) : name
  const named = {
    headers: () => (regex ? matchName(regex, `the ${entry} ${inner}`) : `the ${entry} ${inner}`),
    latency: () => `the ${inner} latency`,
    text: () => matchName(property, name),
    number: () => name,
    json: () => (regex ? matchName(regex, `${inner} of ${name}`) : `${inner} of ${name}`),
  } satisfies Record<AssertionSource['kind'], () => string>
  return named[kind]()
}

/** A clause about a value that doesn't exist. */
export function missingText({ source, property, regex }: Assertion): string {
  const { kind, name, entry = 'header' } = sources[source]
  const path = truncate(property, 200)
  if (kind === 'text') return `the regular expression matches nothing in ${name}`
  if (kind === 'headers') {
    const header = `the response has no ${entry} ${path}`
    return regex ? `${header} that the regular expression matches` : header
  }
  if (regex) return `the regular expression matches nothing in ${path} of ${name}, or it is missing`
  return /[*?]|\.\./.test(path) ? `nothing in ${name} matches ${path}` : `${name} has no property ${path}`
}

const matchName = (regex: string, name: string) => `the match of /${truncate(regex, 100)}/ in ${name}`

const truncate = (text: string, chars: number) => (text.length > chars ? `${text.slice(0, chars)}…` : text)

function pickNumber(assertion: Assertion, subject: Subject): AssertionValues {
  const { source, target } = assertion
  // A response time with statistics over several packets.
  if (subject.kind === 'named') return pickLatency(assertion, subject)
  if (subject.kind !== 'number') return { ok: false, error: `${source} isn't a number in this check.` }
  return withNumericTarget(target, subject.value)
}

function pickLatency({ source, property, target }: Assertion, subject: Subject): AssertionValues {
  const value = subject.kind === 'named' ? subject.values[property === '' ? 'avg' : property] : undefined
  if (typeof value !== 'number') return { ok: false, error: sources[source].absent }
  return withNumericTarget(target, value)
}

function withNumericTarget(target: string, value: number): AssertionValues {
  if (numberOf(target) !== null) return { ok: true, values: [value] }
  return { ok: false, error: `The assertion's target "${target.slice(0, 200)}" isn't a number.` }
}

function pickHeader({ source, property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'named') return { ok: false, error: sources[source].absent }
  const headers = Object.entries(subject.values).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  )
  if (property === '') return byRegex(regex, [Object.fromEntries(headers)])
  const wanted = property.trim().toLowerCase()
  return byRegex(regex, [headers.find(([name]) => name === wanted)?.[1]])
}

function pickJson({ source, property, regex }: Assertion, subject: Subject): AssertionValues {
  if (subject.kind !== 'json') return { ok: false, error: `${source} isn't JSON in this check.` }
  const result = queryJson(property, subject.value)
  if (!result.ok) return unusable(result.error)
  return byRegex(regex, result.values.length === 0 ? [undefined] : result.values)
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
    const match = findByRegex(regex, typeof value === 'string' ? value : jsonText(value, maxRegexChars))
    if (!match.ok) return unusable(match.error)
    picked.push(match.value ?? undefined)
  }
  return { ok: true, values: picked }
}

function unusable(problem: string): AssertionValues {
  return { ok: false, error: `The assertion can't be evaluated: ${problem}.` }
}

const maxRegexChars = 1_000_000
