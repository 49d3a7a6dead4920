import { type Html, html } from '../core/html.ts'
import { locationText } from '../core/location-text.ts'
import { timeOfId } from '../core/time-ordered-id.ts'
import type { SignedLink } from '../links/signed-link.ts'
import { stateIcon } from '../look/icons.ts'
import { findCheckName } from '../storage/checks/check-names.ts'
import { findResult, ranAtOf } from '../storage/results/result-reads.ts'
import { findTestResult } from '../storage/runs/test-session-results.ts'
import type { PagesDeps } from './deps.ts'
import type { LinkedPage } from './page.ts'
import { type RunEvidence, readRunEvidence, type ShownAssertion } from './run-evidence.ts'
import {
  cutText,
  durationInWords,
  facts,
  sentence,
  stateLine,
  timeOf,
  type Verdict,
  verdictOf,
} from './words.ts'

export async function resultPage(
  { store }: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const [checkId = '', id = ''] = ids
  const scheduledAt = timeOfId(id)
  const check = await findCheckName(store.db, accountId, checkId)
  if (check === null || scheduledAt === null) return null
  const row = await findResult(store.db, { accountId, checkId, withDetail: true }, { id, scheduledAt })
  if (row === null) return null
  return runPage({
    name: check.name,
    type: row.check_type,
    verdict: verdictOf(row),
    location: locationText(row.location, ranAtOf(row)),
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    responseTimeMs: row.response_time,
    statusCode: row.status_code,
    attempt: row.attempt,
    isRetried: row.result_type === 'ATTEMPT',
    reason: row.failure_message,
    detail: row.detail,
  })
}

export async function testResultPage(
  { store }: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const [sessionId = '', id = ''] = ids
  const row = await findTestResult(store.db, accountId, sessionId, id)
  if (row === null) return null
  return runPage({
    name: row.name,
    type: row.check_type,
    verdict: row.status === 'RUNNING' ? { tone: 'running', label: 'Running' } : verdictOf(row),
    location: locationText(row.location, row.ran_at),
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    responseTimeMs: row.response_time,
    statusCode: null,
    attempt: row.attempt,
    isRetried: row.result_type === 'ATTEMPT',
    reason: row.schedule_error,
    detail: row.detail,
  })
}

interface Run {
  name: string
  type: string
  verdict: Verdict
  location: string
  startedAt: string | null
  stoppedAt: string | null
  responseTimeMs: number | null
  statusCode: number | null
  attempt: number
  isRetried: boolean
  /** Used if the evidence has none. */
  reason: string | null
  detail: string | null
}

const maxReasonChars = 2_000

function runPage(run: Run): LinkedPage {
  const evidence = readRunEvidence(run.detail)
  const reason = evidence?.reason ?? run.reason
  const { startedAt, stoppedAt, verdict } = run
  const body = html`${stateLine(verdict)}
${reason && html`<p class="reason words ${verdict.tone}">${sentence(cutText(reason, maxReasonChars))}</p>\n`}${facts(
  [
    ['Location', run.location],
    startedAt === null ? null : ['Started', timeOf(startedAt)],
    run.responseTimeMs === null ? null : ['Response time', durationInWords(run.responseTimeMs)],
    startedAt === null || stoppedAt === null
      ? null
      : ['Duration', durationInWords(Math.max(0, Date.parse(stoppedAt) - Date.parse(startedAt)))],
    run.statusCode === null ? null : ['Status code', String(run.statusCode)],
    run.attempt > 1 || run.isRetried
      ? ['Attempt', `${run.attempt}${run.isRetried ? ', retried afterwards' : ''}`]
      : null,
    ['Check type', run.type],
    ...pingFacts(evidence),
  ],
)}
${assertionsOf(evidence)}${phasesOf(evidence)}${
  evidence === null && run.verdict.label !== 'Running'
    ? html`<p class="muted">Assertions and timings of this run are no longer stored.</p>`
    : null
}`
  return { title: run.name, tabTitle: `${verdict.label}: ${run.name}`, body }
}

function pingFacts(evidence: RunEvidence | null): [string, string][] {
  if (!evidence?.ping) return []
  const { packetLoss, latency } = evidence.ping
  const known = (['min', 'avg', 'max'] as const).flatMap((name) => latency[name] ?? [])
  const facts: [string, string][] = [['Packet loss', `${Number(packetLoss.toPrecision(3))} %`]]
  if (known.length === 3) {
    facts.push(['Latency (lowest, average, highest)', known.map(durationInWords).join(', ')])
  }
  return facts
}

function assertionsOf(evidence: RunEvidence | null): Html | null {
  if (!evidence || evidence.assertions.length === 0) return null
  return html`<h2>Assertions</h2>
<ul class="rows">
${evidence.assertions.map(assertionLine)}</ul>
`
}

function assertionLine({ passed, expected, actual }: ShownAssertion): Html {
  const [tone, label] = passed ? (['passing', 'Passed'] as const) : (['failing', 'Failed'] as const)
  return html`<li><span class="state ${tone}">${stateIcon(tone)}${label}</span>
<div class="indent">Expected: ${expected}</div>${
    actual === null ? null : html`\n<div class="indent">Actual: ${actual}</div>`
  }</li>
`
}

function phasesOf(evidence: RunEvidence | null): Html | null {
  if (!evidence || evidence.phases.length === 0) return null
  const total = evidence.phases.reduce((sum, { ms }) => sum + ms, 0)
  let before = 0
  const lines = evidence.phases.map(({ label, ms }) => {
    const [x, width] = total === 0 ? [0, 0] : [(before / total) * 100, Math.max(0.5, (ms / total) * 100)]
    before += ms
    return html`<li class="phase"><span>${label}</span>
<svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 8"><rect x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="8"></rect></svg>
<span class="num">${durationInWords(ms)}</span></li>
`
  })
  return html`<h2>Timings</h2>
<ul class="rows">
${lines}</ul>
`
}
