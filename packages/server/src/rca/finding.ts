// The output of a rule: statements, each with at least one proof.
import type { RootCauseClassification } from '@vedette/contracts'
import { locationText } from '../core/location-text.ts'
import type { Change, Evidence, EvidenceRun } from './evidence.ts'

export const artifacts = {
  request: { name: 'HTTP_REQUEST', type: 'REQUEST' },
  response: { name: 'HTTP_RESPONSE', type: 'RESPONSE' },
  timings: { name: 'TIMING_PHASES', type: 'TIMINGS' },
  dns: { name: 'DNS_ANSWER', type: 'DNS' },
  certificate: { name: 'TLS_CERTIFICATE', type: 'CERTIFICATE' },
  connection: { name: 'CONNECTION', type: 'NETWORK' },
  route: { name: 'TRACEROUTE', type: 'NETWORK' },
  assertion: { name: 'ASSERTION', type: 'ASSERTION' },
  log: { name: 'JOB_LOG', type: 'LOG' },
  settings: { name: 'CHECK_SETTINGS', type: 'CHANGE' },
  deployment: { name: 'DEPLOYMENT', type: 'CHANGE' },
  runs: { name: 'RUNS', type: 'RESULTS' },
  locations: { name: 'LOCATIONS', type: 'RESULTS' },
  neighbors: { name: 'OTHER_CHECKS', type: 'RESULTS' },
  failure: { name: 'RUN_FAILURE', type: 'RESULT' },
} as const

export interface Proof {
  artifacts: { name: string; type: string }[]
  /** Names the result that holds the artifact. */
  description: string
}

export interface Statement {
  text: string
  proofs: [Proof, ...Proof[]]
}

export interface Finding {
  /** From 0 to 100: how much the finding explains, and how certain it is. */
  strength: number
  classification: RootCauseClassification
  statements: [Statement, ...Statement[]]
  /** What to do about it; null: no general advice. */
  codeFix: string | null
  /** Kinds of changes that would explain the finding. */
  explainedBy: readonly Change['kind'][]
}

export type Rule = (evidence: Evidence) => Finding | null

export function proof(artifact: Proof['artifacts'][number], description: string): Proof {
  return { artifacts: [artifact], description }
}

export function statement(text: string, ...proofs: [Proof, ...Proof[]]): Statement {
  return { text, proofs }
}

/** A proof from one run. */
export function runProof(run: EvidenceRun, artifact: Proof['artifacts'][number], description: string): Proof {
  return proof(artifact, `${nameOf(run)}: ${description}`)
}

/** Always in the same words, so that it is listed once. */
export function statusProof(run: EvidenceRun): Proof {
  const text = run.facts?.response?.statusText
  return runProof(run, artifacts.response, `status ${run.statusCode}${text ? ` ${text}` : ''}`)
}

export function nameOf(run: EvidenceRun): string {
  const where = run.location === '' ? '' : ` in ${locationOf(run)}`
  return `Result ${run.id} (${run.outcome}${where}, ${isoTime(run.at)})`
}

/** `Ireland (built-in agent)`. */
export function locationOf({ location, ranAt }: EvidenceRun): string {
  return locationText(location, ranAt)
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

const longestList = 5

export function formatList(items: readonly string[]): string {
  const shown = items.slice(0, longestList).join(', ')
  return items.length > longestList ? `${shown} and ${items.length - longestList} more` : shown
}

const longestQuote = 300

/** Foreign text on one line, in quotation marks. */
export function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return `“${line.length > longestQuote ? `${line.slice(0, longestQuote)}…` : line}”`
}

export function ms(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`
}

/** `7 s`, `1.4 s`, `830 ms`. */
export function duration(value: number): string {
  return value < 1000 ? ms(value) : `${Math.round(value / 100) / 10} s`
}
