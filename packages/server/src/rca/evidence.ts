// What an analysis looks at: plain values, read from the store by load-evidence.ts. Rules see nothing else.
import type { CheckType, Failure, RanAt } from '@vedette/contracts'
import type { RunFacts } from './run-facts.ts'

/** Milliseconds of each part of a conversation; null: not reached, or not measured. */
export type Phases = Record<'dns' | 'tcp' | 'firstByte' | 'download', number | null>

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
  /** Null: no detail was kept, or its time is up. */
  facts: RunFacts | null
}

/** A run of another check of the account, near in time. */
export interface NeighbourRun {
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
  /** The latest failing run of the group that left a detail, or the latest one. */
  failing: EvidenceRun
  /** Further failing runs of the group, the newest first. */
  failures: EvidenceRun[]
  /** Passing runs of the check before the trouble began, the newest first. */
  passing: EvidenceRun[]
  /** Passing runs of the check since it began. */
  meanwhile: EvidenceRun[]
  /** Final results since the trouble began and some after its last failure, oldest first, without details. */
  since: EvidenceRun[]
  neighbours: NeighbourRun[]
  /** From the last passing run to the first failing one. */
  changes: Change[]
  /** When the trouble began; milliseconds. */
  beganAt: number
  /** What whoever asked had to say: a statement of theirs, not evidence. */
  userContext: string
}

export function hostOf({ failing, passing }: Pick<Evidence, 'failing' | 'passing'>): string | null {
  const facts = [failing, ...passing].map((run) => run.facts?.target ?? null)
  return facts.find((target) => target !== null)?.host ?? null
}
