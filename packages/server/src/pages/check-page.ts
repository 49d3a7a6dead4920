import { html } from '../core/html.ts'
import { locationText } from '../core/location-text.ts'
import type { SignedLink } from '../links/signed-link.ts'
import { findCheckName } from '../storage/checks/check-names.ts'
import { listResultsAfter, ranAtOf } from '../storage/results/result-reads.ts'
import type { PagesDeps } from './deps.ts'
import type { LinkedPage } from './page.ts'
import { cutText, runLine, sentence, stateLine, timeOf, verdictOf } from './words.ts'

const shownRuns = 20

/** For alerts that weren't caused by a single result. */
export async function checkPage(
  { store }: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const check = await findCheckName(store.db, accountId, ids[0] ?? '')
  if (check === null) return null
  const of = { accountId, checkId: check.id, withDetail: false }
  const rows = await listResultsAfter(store.db, of, { resultType: 'FINAL', limit: shownRuns, after: null })
  const [latest] = rows
  const runs = rows.slice(0, shownRuns).map((row) =>
    runLine({
      verdict: verdictOf(row),
      what: locationText(row.location, ranAtOf(row)),
      durationMs: row.response_time,
      note: html`${timeOf(row.started_at)}${
        row.failure_message === null ? null : html`: ${sentence(cutText(row.failure_message, 500))}`
      }`,
    }),
  )
  const body =
    latest === undefined
      ? html`<p>This check has no results yet.</p>`
      : html`${stateLine({ ...verdictOf(latest), label: `Last run: ${verdictOf(latest).label}` })}
<h2>Latest runs</h2>
<ul class="rows">
${runs}</ul>`
  return { title: check.name, tabTitle: check.name, body }
}
