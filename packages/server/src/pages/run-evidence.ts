// Reads assertions and timings from the stored evidence of a run, for linked pages. Bodies, headers, logs and files are never
// shown, so they aren't read. Parts that don't match the schema are left out: agents of other releases may have written them.

import { readFileSync } from 'node:fs'
import { AssertionOutcome } from '@vedette/contracts'
import { z } from 'zod'
import { cutText } from './words.ts'

const Milliseconds = z.record(z.string(), z.number().nullable().catch(null)).catch({})

const Observed = z
  .object({
    breakdown: Milliseconds,
    timingPhases: Milliseconds,
    response: z
      .object({
        timingPhases: Milliseconds,
        packetLoss: z.number().nullable().catch(null),
        latency: Milliseconds,
      })
      .nullable()
      .catch(null),
    assertions: z
      .array(
        z.object({
          condition: z.string(),
          passed: z.boolean(),
          actual: z.string().optional().catch(undefined),
        }),
      )
      .catch([]),
  })
  .nullable()
  .catch(null)

const Stored = z.object({
  failure: z.object({ message: z.string() }).nullable().catch(null),
  assertions: z.array(z.unknown()).catch([]),
  observed: Observed,
})

export interface ShownAssertion {
  passed: boolean
  expected: string
  /** Null: it passed, or its value isn't shown. */
  actual: string | null
}

export interface RunEvidence {
  reason: string | null
  assertions: ShownAssertion[]
  phases: { label: string; ms: number }[]
  ping: { packetLoss: number; latency: Record<string, number | null> } | null
}

/** Null: no evidence was stored, or its retention has ended. */
export function readRunEvidence(text: string | null): RunEvidence | null {
  const parsed = Stored.safeParse(parseJson(text))
  if (!parsed.success) return null
  const { failure, assertions, observed } = parsed.data
  const { response } = observed ?? {}
  return {
    reason: failure?.message ?? null,
    assertions: [
      ...assertions.flatMap((one) => AssertionOutcome.safeParse(one).data ?? []).map(describeAssertion),
      ...(observed?.assertions ?? []).map(({ condition, passed, actual }) => ({
        passed,
        expected: cutText(condition, 500),
        actual: passed || actual === undefined ? null : cutText(actual, 500),
      })),
    ].sort((a, b) => Number(a.passed) - Number(b.passed)),
    phases: phasesOf(
      [observed?.breakdown, response?.timingPhases, observed?.timingPhases].find(hasValues) ?? {},
    ),
    ping:
      response?.packetLoss == null ? null : { packetLoss: response.packetLoss, latency: response.latency },
  }
}

function hasValues(phases: Record<string, number | null> | undefined): boolean {
  return phases !== undefined && Object.values(phases).some((ms) => ms !== null)
}

/** The app shows the same words. */
const labelsFile = new URL('../look/phase-labels.json', import.meta.url)
const phaseLabels = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(labelsFile, 'utf8')))

function phasesOf(phases: Record<string, number | null>): RunEvidence['phases'] {
  // In timingPhases `wait` is the time until a socket was assigned, which is 0 for a new connection.
  const isWire = 'firstByte' in phases
  return Object.entries(phases).flatMap(([name, ms]) => {
    const label = phaseLabels[name]
    return label === undefined || ms === null || ms < 0 || (isWire && name === 'wait') ? [] : [{ label, ms }]
  })
}

type Assertion = z.output<typeof AssertionOutcome>

function describeAssertion(assertion: Assertion): ShownAssertion {
  const passed = assertion.error === undefined
  const target = cutText(assertion.target ?? '', 500)
  const comparison = comparisons[assertion.comparison]?.(target) ?? `${assertion.comparison} ${target}`
  const expected = `${subjectOf(assertion)} ${comparison}`
  return { passed, expected, actual: passed ? null : actualOf(assertion) }
}

const comparisons: Record<string, (target: string) => string> = {
  EQUALS: (target) => `equals ${quote(target)}`,
  NOT_EQUALS: (target) => `doesn’t equal ${quote(target)}`,
  HAS_KEY: (target) => `has the key ${quote(target)}`,
  NOT_HAS_KEY: (target) => `doesn’t have the key ${quote(target)}`,
  HAS_VALUE: (target) => `has the value ${quote(target)}`,
  NOT_HAS_VALUE: (target) => `doesn’t have the value ${quote(target)}`,
  IS_EMPTY: () => 'is empty',
  NOT_EMPTY: () => 'isn’t empty',
  GREATER_THAN: (target) => `is greater than ${target}`,
  LESS_THAN: (target) => `is less than ${target}`,
  CONTAINS: (target) => `contains ${quote(target)}`,
  NOT_CONTAINS: (target) => `doesn’t contain ${quote(target)}`,
  IS_NULL: () => 'is null',
  NOT_NULL: () => 'isn’t null',
}

const quote = (target: string) => (/^-?\d+(\.\d+)?$/.test(target) ? target : `“${target}”`)

function subjectOf({ source, property = '' }: Assertion): string {
  const path = cutText(property, 200)
  const subject = subjects[source]
  return subject === undefined ? `${source} ${path}`.trim() : subject(path)
}

const subjects: Record<string, (property: string) => string> = {
  STATUS_CODE: () => 'The status code',
  RESPONSE_TIME: () => 'The response time in milliseconds',
  JSON_BODY: (path) => (path === '' ? 'The JSON body' : `${path} in the JSON body`),
  TEXT_BODY: (pattern) =>
    pattern === '' ? 'The response body' : `What ${pattern} matches in the response body`,
  HEADERS: (name) => (name === '' ? 'The list of headers' : `The header ${name}`),
  RESPONSE_DATA: () => 'The response data',
  RESPONSE_CODE: () => 'The DNS response code',
  TEXT_ANSWER: () => 'The DNS answer',
  JSON_ANSWER: (path) => (path === '' ? 'The DNS answer' : `${path} in the DNS answer`),
  LATENCY: (which) =>
    `The ${{ min: 'lowest', max: 'highest', stdDev: 'deviation of the' }[which] ?? 'average'} latency in milliseconds`,
  JSON_RESPONSE: (path) => (path === '' ? 'The ping result' : `${path} in the ping result`),
}

/** The values of these sources are bodies or headers. */
const hiddenSources = ['TEXT_BODY', 'HEADERS', 'RESPONSE_DATA']
const notShown = 'not shown, because this page shows no bodies and no headers'

function actualOf({ source, actual, error = '', property = '' }: Assertion): string | null {
  if (hiddenSources.includes(source)) return notShown
  if (actual === undefined) return cutText(error, 500)
  if (typeof actual !== 'string') return String(actual)
  const isDocument = property === '' && source.startsWith('JSON_')
  return isDocument || /^\s*[[{]/.test(actual) ? notShown : cutText(actual, 200)
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
