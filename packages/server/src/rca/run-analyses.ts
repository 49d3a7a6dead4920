// The loop of analyses: claims what is due, in any number of servers at once, and completes each. One that breaks is tried
// again, and after three times completed as unknown, with the reason.
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
import { analyse } from './analyse.ts'
import { loadEvidence } from './load-evidence.ts'
import { type Model, wordByModel } from './model.ts'
import { scrubTexts, storableTexts } from './scrub-analysis.ts'

export interface AnalysesOptions {
  store: Pick<Store, 'db' | 'pool'>
  vault: Vault
  publicUrl: string
  /** Null: rules alone. */
  model: Model | null
  now(): number
  limit?: number
  onError?(error: unknown): void
}

/** Longer than loading and the model together may take. */
const leaseMs = 120_000
const tries = 3
const pauseMs = 30_000

/** Returns how many were taken. */
export async function runAnalyses(options: AnalysesOptions): Promise<number> {
  const { store, now, limit = 5 } = options
  const claimed = await claimAnalyses(store.pool, now(), { limit, leaseMs })
  await Promise.all(claimed.map((row) => attempt(row, options)))
  return claimed.length
}

async function attempt(row: AnalysisRow, options: AnalysesOptions): Promise<void> {
  const { store, now } = options
  const begun = performance.now()
  try {
    if (row.attempts > tries) return await giveUp(row, options)
    const made = await make(row, options)
    await completeAnalysis(store.pool, row, { ...made, durationMs: performance.now() - begun }, now())
  } catch (error) {
    options.onError?.(error)
    // The store may be what is broken: then the lease runs out, and it is due again.
    if (row.attempts >= tries) await giveUp(row, options)
    else await postponeAnalysis(store.pool, row, now() + row.attempts * pauseMs)
  }
}

const byRules = { provider: 'vedette', model: 'rules' }

async function make(row: AnalysisRow, { store, vault, publicUrl, model }: AnalysesOptions) {
  const loaded = await loadEvidence(store.db, row)
  const secrets = await listSecretValues(store.db, vault, row.account_id, loaded?.checkId ?? null)
  const userContext = scrubTexts(row.user_context, secrets)
  if (loaded === null)
    return { checkId: null, checkType: null, ...byRules, analysis: nothingLeft, userContext }
  const { evidence, checkId, results } = loaded
  // Before, since rules cut texts, and half a secret is not found; after, for what they read off keys of documents.
  const found = storableTexts(scrubTexts(analyse(scrubTexts(evidence, secrets)), secrets))
  const wording = model && (await wordByModel(model, found, userContext))
  const referenceLinks = results.map(({ title, path }) => ({
    title,
    url: `${publicUrl}/accounts/${row.account_id}${path}`,
  }))
  return {
    checkId,
    checkType: evidence.checkType,
    ...(wording && model ? { provider: new URL(model.url).host, model: model.name } : byRules),
    analysis: {
      ...found,
      ...(wording && storableTexts(scrubTexts(wording, secrets))),
      referenceLinks,
    } satisfies RootCause,
    userContext,
  }
}

const nothingLeft: RootCause = unknown('no run of this error group is stored anymore')

function giveUp(row: AnalysisRow, { store, now }: AnalysesOptions): Promise<void> {
  const analysis = unknown(`the analysis itself failed ${tries} times`)
  // Secrets may be what could not be read, so nobody knows whether some stand in the context.
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
