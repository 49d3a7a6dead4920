// The input of an analysis: plain values, read from the database by load-evidence.ts. Rules use nothing else.
import type { CheckType, Failure, RanAt } from '@vedette/contracts'
import type { RunFacts } from './run-facts.ts'

export const phaseNames = ['dns', 'tcp', 'firstByte', 'download'] as const
export type PhaseName = (typeof phaseNames)[number]

/** Milliseconds; null: not reached, or not measured. */
export type Phases = Record<PhaseName, number | null>

export interface EvidenceRun {
  id: string
  /** The slot; milliseconds. */
  at: number
  location: string
  /** The agent that ran it; null: not recorded. */
  ranAt: RanAt | null
  attempt: number
  outcome: 'passed' | 'failed' | 'error'
  /** Whether it failed with the error group that is analyzed. */
  isInGroup: boolean
  /** Without a detail only the kind and the message are known. */
  failure: Pick<Failure, 'kind' | 'message'> | null
  statusCode: number | null
  responseTimeMs: number | null
  phases: Phases
  /** Null: the detail isn't stored, or was deleted by retention. */
  facts: RunFacts | null
}

/** A run of another check of the account, near in time. */
export interface NeighborRun {
  checkId: string
  checkName: string
  host: string | null
  resultId: string
  location: string
  failed: boolean
  failureKind: string | null
}

export interface Change {
  kind: 'deployment' | 'settings'
  /** Milliseconds. */
  at: number
  /** As a noun: `the deployment 9b1f5a3 to production`, `the settings of the check`. */
  what: string
}

export interface Evidence {
  checkName: string
  checkType: CheckType
  /** The latest failing run of the group with a detail, or the latest one. */
  failing: EvidenceRun
  /** Further failing runs of the group, the newest first. */
  failures: EvidenceRun[]
  /** Passing runs of the check before the failures began, the newest first. */
  passing: EvidenceRun[]
  /** Passing runs of the check since then. */
  meanwhile: EvidenceRun[]
  /** Final results since the failures began and some after the last one, oldest first, without details. */
  since: EvidenceRun[]
  neighbors: NeighborRun[]
  /** From the last passing run to the first failing one. */
  changes: Change[]
  /** When the failures began; milliseconds. */
  beganAt: number
  /** The context of the request: an unverified statement, not evidence. */
  userContext: string
}

function hostOf({ failing, passing }: Pick<Evidence, 'failing' | 'passing'>): string | null {
  const targets = [failing, ...passing].map((run) => run.facts?.target ?? null)
  return targets.find((target) => target !== null)?.host ?? null
}

/** `location`: runs on other hosts only, so that the location is all they share with the failing run. */
export function neighborsOn(
  evidence: Evidence,
  shared: 'host' | 'location',
): { failed: NeighborRun[]; passed: NeighborRun[] } {
  const host = hostOf(evidence)
  const alike = evidence.neighbors.filter((run) =>
    shared === 'host'
      ? host !== null && run.host === host
      : run.location === evidence.failing.location && (host === null || run.host !== host),
  )
  return { failed: alike.filter(({ failed }) => failed), passed: alike.filter(({ failed }) => !failed) }
}
