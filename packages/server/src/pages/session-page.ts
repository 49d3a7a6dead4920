import { html } from '../core/html.ts'
import { locationText } from '../core/location-text.ts'
import type { SignedLink } from '../links/signed-link.ts'
import { ranAtOf } from '../storage/results/result-reads.ts'
import { findCheckSession, listSessionResults } from '../storage/runs/check-sessions.ts'
import { listTestResults } from '../storage/runs/test-session-results.ts'
import { findTestSession } from '../storage/runs/test-sessions.ts'
import type { PagesDeps } from './deps.ts'
import type { LinkedPage } from './page.ts'
import {
  cutText,
  durationInWords,
  facts,
  runLine,
  sentence,
  stateLine,
  timeOf,
  type Verdict,
  verdictOf,
} from './words.ts'

export async function checkSessionPage(
  deps: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const { db } = deps.store
  const row = await findCheckSession(db, accountId, ids[0] ?? '')
  if (row === null) return null
  const results = await listSessionResults(db, row)
  const runs = results.map((result) =>
    runLine({
      verdict: verdictOf(result),
      what:
        locationText(result.location, ranAtOf(result)) +
        (result.result_type === 'ATTEMPT' ? ', retried afterwards' : ''),
      durationMs: result.response_time,
      note: result.failure_message === null ? null : sentence(cutText(result.failure_message, 500)),
    }),
  )
  const finished = new Set(
    results.filter(({ result_type }) => result_type === 'FINAL').map(({ location }) => location),
  )
  const waiting = row.run_locations.filter((location) => !finished.has(location))
  const missing: Verdict = { tone: 'unknown', label: row.stopped_at === null ? 'Not finished' : 'No result' }
  const rest = waiting.map((location) =>
    runLine({ verdict: missing, what: locationText(location, null), durationMs: null, note: null }),
  )
  return sessionPage({ ...row, count: row.run_locations.length }, [...runs, ...rest])
}

export async function testSessionPage(
  deps: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const { db } = deps.store
  const row = await findTestSession(db, accountId, ids[0] ?? '')
  if (row === null) return null
  const results = await listTestResults(db, accountId, [row.id])
  const runs = results.map((result) =>
    runLine({
      verdict: result.status === 'RUNNING' ? { tone: 'running', label: 'Running' } : verdictOf(result),
      what: `${result.name}, ${locationText(result.location, result.ran_at)}${result.result_type === 'ATTEMPT' ? ', retried afterwards' : ''}`,
      durationMs: result.response_time,
      note: result.schedule_error === null ? null : sentence(cutText(result.schedule_error, 500)),
    }),
  )
  const count = results.filter(({ result_type }) => result_type !== 'ATTEMPT').length
  return sessionPage({ ...row, count }, runs)
}

interface Session {
  name: string
  status: string
  started_at: string
  stopped_at: string | null
  count: number
}

function sessionPage(session: Session, runs: ReturnType<typeof runLine>[]): LinkedPage {
  const { name, started_at, stopped_at, count } = session
  const verdict = verdicts[session.status] ?? { tone: 'unknown', label: session.status }
  const body = html`${stateLine(verdict)}
${facts([
  ['Started', timeOf(started_at)],
  stopped_at === null
    ? null
    : ['Duration', durationInWords(Math.max(0, Date.parse(stopped_at) - Date.parse(started_at)))],
  ['Runs', String(count)],
])}
<h2>Runs</h2>
${runs.length === 0 ? html`<p>There are no runs yet. Reload this page to see them.</p>` : html`<ul class="rows">\n${runs}</ul>`}`
  return { title: name, tabTitle: `${verdict.label}: ${name}`, body }
}

const verdicts: Record<string, Verdict> = {
  STARTED: { tone: 'running', label: 'Running' },
  RUNNING: { tone: 'running', label: 'Running' },
  PROGRESS: { tone: 'running', label: 'Running' },
  PROGRESS_FAILED: { tone: 'failing', label: 'Running, with failures' },
  PROGRESS_DEGRADED: { tone: 'degraded', label: 'Running, degraded' },
  PASSED: { tone: 'passing', label: 'Passed' },
  DEGRADED: { tone: 'degraded', label: 'Degraded' },
  FAILED: { tone: 'failing', label: 'Failed' },
  TIMED_OUT: { tone: 'failing', label: 'Timed out' },
  CANCELLED: { tone: 'unknown', label: 'Canceled' },
}
