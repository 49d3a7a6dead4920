// Converts rows of results and of test results into runs for the rules.
import { nameMetrics } from '@vedette/contracts'
import type { TestFailureRow } from '../storage/results/failure-evidence.ts'
import { type ResultRow, ranAtOf } from '../storage/results/result-reads.ts'
import type { EvidenceRun, Phases } from './evidence.ts'
import { readRunFacts } from './run-facts.ts'

export function runOf(row: ResultRow, groupId: string): EvidenceRun {
  const facts = readRunFacts(row.detail)
  const kind = row.failure_kind
  return {
    id: row.id,
    at: Date.parse(row.scheduled_at),
    location: row.location,
    ranAt: ranAtOf(row),
    attempt: row.attempt,
    outcome: outcomeOf(row),
    isInGroup: row.error_group_ids?.includes(groupId) ?? false,
    failure: kind === null ? null : { kind, message: facts?.failure?.message ?? row.failure_message ?? '' },
    statusCode: row.status_code,
    responseTimeMs: row.response_time,
    phases: phasesOf({ ...nameMetrics(row.check_type, row.metrics), ...facts?.timingPhases }),
    facts,
  }
}

export function testRunOf(row: TestFailureRow): EvidenceRun {
  const facts = readRunFacts(row.detail)
  return {
    id: row.id,
    at: Date.parse(row.started_at ?? row.created_at),
    location: row.location,
    ranAt: row.ran_at,
    attempt: row.attempt,
    outcome: outcomeOf(row),
    isInGroup: true,
    failure: facts?.failure ?? null,
    statusCode: facts?.response?.status ?? null,
    responseTimeMs: row.response_time,
    phases: phasesOf(facts?.timingPhases ?? {}),
    facts,
  }
}

function outcomeOf(row: { has_failures: boolean; has_errors: boolean }): EvidenceRun['outcome'] {
  if (row.has_failures) return 'failed'
  return row.has_errors ? 'error' : 'passed'
}

/** TCP monitors have other names for the same phases. */
function phasesOf(times: Record<string, number | null | undefined>): Phases {
  return {
    dns: times.dns ?? null,
    tcp: times.tcp ?? times.connection ?? null,
    firstByte: times.firstByte ?? times.data ?? null,
    download: times.download ?? null,
  }
}
