import { RootCause } from '@vedette/contracts'
import { html } from '../core/html.ts'
import type { SignedLink } from '../links/signed-link.ts'
import { findCheckName } from '../storage/checks/check-names.ts'
import { findAnalysis } from '../storage/results/root-cause-analyses.ts'
import type { PagesDeps } from './deps.ts'
import type { LinkedPage } from './page.ts'
import { facts, timeOf } from './words.ts'

export async function analysisPage(
  { store }: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<LinkedPage | null> {
  const row = await findAnalysis(store.db, accountId, ids[0] ?? '')
  if (row === null) return null
  const check = row.check_id === null ? null : await findCheckName(store.db, accountId, row.check_id)
  const title = check === null ? 'Root-cause analysis' : `Why ${check.name} failed`
  const { data: analysis } = RootCause.safeParse(row.analysis)
  if (row.status !== 'COMPLETED' || analysis === undefined) {
    const body = html`<p>The analysis is in progress. Reload this page in a few seconds.</p>`
    return { title, tabTitle: title, body }
  }
  const evidence = analysis.evidence ?? []
  const body = html`${facts([
    ['Classification', classificationInWords(analysis.classification)],
    ['Completed', timeOf(row.completed_at ?? row.created_at)],
  ])}
<h2>Cause</h2>
<p class="words">${analysis.rootCause}</p>
<h2>Impact</h2>
<p class="words">${analysis.userImpact}</p>
${analysis.codeFix ? html`<h2>What to do</h2>\n<p class="words">${analysis.codeFix}</p>\n` : null}${
  evidence.length === 0
    ? null
    : html`<h2>Evidence</h2>
<ol class="rows">
${evidence.map(({ description }, index) => html`<li class="words">[${index + 1}] ${description}</li>\n`)}</ol>`
}`
  return { title, tabTitle: title, body }
}

/** CERTIFICATE_ERROR: Certificate error */
function classificationInWords(classification: string): string {
  const words = classification.toLowerCase().replaceAll('_', ' ')
  return words.startsWith('dns')
    ? words.replace('dns', 'DNS')
    : words.charAt(0).toUpperCase() + words.slice(1)
}
