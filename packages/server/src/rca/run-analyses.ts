// The loop of analyses: claims and completes due analyses, in any number of servers. A failed one is retried, and after three
// attempts completed as unknown, with the reason.
import type { RootCause } from '@vedette/contracts'
import type { Store } from '../storage/core/db.ts'
import { listSecretValues } from '../storage/core/secret-values.ts'
import type { Vault } from '../storage/core/vault.ts'
import {
  type AnalysisRow,
  claimAnalyses,
  completeAnalysis,
  postponeAnalysis,
} from '../storage/results/root-cause-analyses.ts'
import { analyze } from './analyze.ts'
import { loadEvidence } from './load-evidence.ts'
import { type Model, wordByModel } from './model.ts'
import { scrubTexts, storableTexts } from './scrub-analysis.ts'

export interface AnalysesOptions {
  store: Pick<Store, 'db' | 'pool'>
  vault: Vault
  publicUrl: string
  /** Null: only rules. */
  model: Model | null
  now(): number
  limit?: number
  onError?(error: unknown): void
}

/** Longer than loading and the model may take together. */
const leaseMs = 120_000
const tries = 3
const pauseMs = 30_000

/** Returns how many analyses were claimed. */
export async function runAnalyses(options: AnalysesOptions): Promise<number> {
  const { store, now, limit = 5 } = options
  const claimed = await claimAnalyses(store.pool, now(), { limit, leaseMs })
  await Promise.all(claimed.map((row) => attempt(row, options)))
  return claimed.length
}

async function attempt(row: AnalysisRow, options: AnalysesOptions): Promise<void> {
  const { store, now } = options
  const startedAt = performance.now()
  try {
    if (row.attempts > tries) return await giveUp(row, options)
    const analyzed = await analyzeGroup(row, options)
    await completeAnalysis(store.pool, row, { ...analyzed, durationMs: performance.now() - startedAt }, now())
  } catch (error) {
    options.onError?.(error)
    // If the database is down, the lease expires and the analysis is due again.
    if (row.attempts >= tries) await giveUp(row, options)
    else await postponeAnalysis(store.pool, row, now() + row.attempts * pauseMs)
  }
}

const byRules = { provider: 'vedette', model: 'rules' }

async function analyzeGroup(row: AnalysisRow, { store, vault, publicUrl, model }: AnalysesOptions) {
  const loaded = await loadEvidence(store.db, row)
  const secrets = await listSecretValues(store.db, vault, row.account_id, loaded?.checkId ?? null)
  const userContext = scrubTexts(row.user_context, secrets)
  if (loaded === null) return { checkId: null, checkType: null, ...byRules, analysis: noRuns, userContext }
  const { evidence, checkId, results } = loaded
  // Scrub twice: rules truncate text, then quote document keys.
  const analysis = storableTexts(scrubTexts(analyze(scrubTexts(evidence, secrets)), secrets))
  const wording = model && (await wordByModel(model, analysis, userContext))
  const referenceLinks = results.map(({ title, path }) => ({
    title,
    url: `${publicUrl}/accounts/${row.account_id}${path}`,
  }))
  return {
    checkId,
    checkType: evidence.checkType,
    ...(wording && model ? { provider: new URL(model.url).host, model: model.name } : byRules),
    analysis: {
      ...analysis,
      ...(wording && storableTexts(scrubTexts(wording, secrets))),
      referenceLinks,
    } satisfies RootCause,
    userContext,
  }
}

const noRuns: RootCause = unknown('no run of this error group is stored anymore')

function giveUp(row: AnalysisRow, { store, now }: AnalysesOptions): Promise<void> {
  const analysis = unknown(`the analysis itself failed ${tries} times`)
  // The secrets may be unreadable, so the context can't be scrubbed: it isn't stored.
  const done = { checkId: null, checkType: null, ...byRules, durationMs: 0, analysis, userContext: '' }
  return completeAnalysis(store.pool, row, done, now())
}

function unknown(missing: string): RootCause {
  return {
    classification: 'UNKNOWN_ERROR',
    rootCause: `The cause is unknown: ${missing}.`,
    userImpact: 'The impact on users is unknown.',
    codeFix: null,
    evidence: [],
    referenceLinks: [],
  }
}
