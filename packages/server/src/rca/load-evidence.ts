// From the store to evidence: the failing run of a group and what stands around it. Reads only, and only of one account.
import { type CheckType, dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { findCheckName } from '../storage/checks/check-names.ts'
import type { Db } from '../storage/core/db.ts'
import { findErrorGroup } from '../storage/results/error-groups.ts'
import * as around from '../storage/results/failure-evidence.ts'
import type { ResultRow } from '../storage/results/result-reads.ts'
import type { AnalysisRow } from '../storage/results/root-cause-analyses.ts'
import { findTestErrorGroup } from '../storage/runs/test-session-error-groups.ts'
import type { Change, Evidence, EvidenceRun, NeighbourRun } from './evidence.ts'
import { runOf, testRunOf } from './stored-run.ts'

/** How far back a passing run is looked for: longer ago, a difference says little. */
const compareMs = 7 * dayMs
const mostFailures = 6
const mostCounted = 500
/** Enough to see whether it was over, and in which locations. */
const mostAfter = 50

export interface LoadedEvidence {
  evidence: Evidence
  checkId: string | null
  /** Of the results that the analysis may point to, the failing one first; below the account. */
  results: { title: string; path: string }[]
}

/** Null: no run of the group is stored any more. */
export async function loadEvidence(db: Db, request: AnalysisRow): Promise<LoadedEvidence | null> {
  return request.error_group_id === null ? ofTest(db, request) : ofCheck(db, request, request.error_group_id)
}

async function ofCheck(db: Db, request: AnalysisRow, groupId: string): Promise<LoadedEvidence | null> {
  const accountId = request.account_id
  const group = await findErrorGroup(db, accountId, groupId)
  if (group === null) return null
  const of = { accountId, checkId: group.check_id }
  const seen = { id: group.id, lastSeen: Date.parse(group.last_seen) }
  const failures = (await around.listFailuresOf(db, of, seen, mostFailures)).map((row) =>
    runOf(row, group.id),
  )
  const failing = failures.find(({ facts }) => facts !== null) ?? failures[0]
  const check = await findCheckName(db, accountId, group.check_id)
  if (!failing || check === null) return null
  const beganAt = await beginningOf(db, of, failing, failures, Date.parse(group.first_seen))
  const endedAt = Math.max(...failures.map(({ at }) => at)) + 1
  const [passing, meanwhile, during, after] = await Promise.all([
    passesBefore(db, of, beganAt, failing.location),
    around.listPassesOf(db, of, { from: beganAt, to: failing.at + hourMs }, { limit: 10 }),
    around.listRunsOf(db, of, { from: beganAt, to: endedAt }, { limit: mostCounted, keep: 'latest' }),
    around.listRunsOf(db, of, { from: endedAt, to: endedAt + dayMs }, { limit: mostAfter, keep: 'earliest' }),
  ])
  const evidence = {
    checkName: check.name,
    checkType: check.check_type,
    failing,
    failures: failures.filter((run) => run !== failing),
    passing,
    meanwhile: meanwhile.map(passOf),
    since: [...during, ...after].map((row) => runOf(row, group.id)),
    neighbours: await neighboursAt(db, of, failing.at),
    changes: await changesBefore(db, of, passing, beganAt),
    beganAt,
    userContext: request.user_context,
  }
  const folder = `/checks/${group.check_id}/results`
  return { evidence, checkId: group.check_id, results: linksOf(evidence, `${folder}/${failing.id}`, folder) }
}

/** A test is compared with the runs of its check: tests themselves keep no history. */
async function ofTest(db: Db, request: AnalysisRow): Promise<LoadedEvidence | null> {
  const accountId = request.account_id
  const group = await findTestErrorGroup(db, accountId, request.test_session_error_group_id ?? '')
  if (group === null) return null
  const seen = { id: group.id, lastSeen: Date.parse(group.last_seen) }
  const rows = await around.listTestFailuresOf(db, accountId, seen, mostFailures)
  const lead = rows.find(({ detail }) => detail !== null) ?? rows[0]
  if (!lead) return null
  const failing = testRunOf(lead)
  const of = lead.check_id === null ? null : { accountId, checkId: lead.check_id }
  const beganAt = failing.at
  const passing = of ? await passesBefore(db, of, beganAt, failing.location) : []
  const evidence = {
    checkName: lead.name,
    checkType: lead.check_type as CheckType,
    failing,
    failures: rows.filter((row) => row !== lead && row.check_id === lead.check_id).map(testRunOf),
    passing,
    meanwhile: [],
    since: [failing],
    neighbours: of ? await neighboursAt(db, of, failing.at) : [],
    changes: of ? await changesBefore(db, of, passing, beganAt) : [],
    beganAt,
    userContext: request.user_context,
  }
  const own = `/test-sessions/${lead.test_session_id}/results/${lead.id}`
  return {
    evidence,
    checkId: lead.check_id,
    results: linksOf(evidence, own, `/checks/${lead.check_id}/results`),
  }
}

/**
 * Since when it fails: since the run after the last passing one in that location, or since the group was first seen where
 * that is not long ago: a trouble that comes and goes begins with its first failure.
 */
async function beginningOf(
  db: Db,
  of: around.OfCheck,
  failing: EvidenceRun,
  failures: readonly EvidenceRun[],
  firstSeen: number,
): Promise<number> {
  const { at, location } = failing
  const [pass] = await around.listPassesOf(db, of, { from: at - compareMs, to: at }, { limit: 1, location })
  const from = pass ? Date.parse(pass.scheduled_at) + 1 : at - compareMs
  const span = { from, to: at + 1 }
  const runs = (await around.listRunsOf(db, of, span, { limit: 500, keep: 'earliest' })).map(passOf)
  const streak = runs.find((run) => run.location === location && run.outcome === 'failed')?.at ?? at
  if (firstSeen < at - dayMs) return streak
  const first =
    failures.length < mostFailures ? Math.min(...failures.map((run) => run.at)) : firstSeen - minuteMs
  return Math.min(streak, first)
}

const passOf = (row: ResultRow) => runOf(row, '')

/** Of the same location where there are some: elsewhere addresses and times are others. */
async function passesBefore(
  db: Db,
  of: around.OfCheck,
  beganAt: number,
  location: string,
): Promise<EvidenceRun[]> {
  const span = { from: beganAt - compareMs, to: beganAt }
  const here = (await around.listPassesOf(db, of, span, { limit: 5, location })).map(passOf)
  return here.length > 0 ? here : (await around.listPassesOf(db, of, span, { limit: 5 })).map(passOf)
}

async function neighboursAt(db: Db, of: around.OfCheck, at: number): Promise<NeighbourRun[]> {
  const rows = await around.listNeighborRuns(db, of, { from: at - 5 * minuteMs, to: at + 5 * minuteMs }, 200)
  return rows.map((row) => ({
    checkId: row.check_id,
    checkName: row.name,
    host: hostIn(row.request),
    resultId: row.result_id,
    location: row.location,
    failed: row.has_failures,
    failureKind: row.failure_kind,
  }))
}

function hostIn(request: around.NeighborRow['request']): string | null {
  if (typeof request?.hostname === 'string') return request.hostname
  return typeof request?.url === 'string' && URL.canParse(request.url) ? new URL(request.url).hostname : null
}

/** Systems mark a deployment when it is done, and it may fail before that. */
const markedLateMs = 5 * minuteMs

async function changesBefore(
  db: Db,
  of: around.OfCheck,
  passing: readonly EvidenceRun[],
  beganAt: number,
): Promise<Change[]> {
  const from = passing[0]?.at ?? beganAt - hourMs
  const { deployments, settings } = await around.listChanges(db, of, { from, to: beganAt + markedLateMs })
  return [
    ...deployments.map((row): Change => {
      const name = row.sha?.slice(0, 12) ?? row.deployment_id ?? ''
      const place = row.environment_name ?? row.environment_url
      const what = ['the deployment', name, row.repository && `of ${row.repository}`, place && `to ${place}`]
      return { kind: 'deployment', at: Date.parse(row.created_at), what: what.filter(Boolean).join(' ') }
    }),
    ...settings
      .map(({ what, at }): Change => ({ kind: 'settings', at: Date.parse(at), what }))
      // A setting that changed while it failed already is no cause of it.
      .filter(({ at }) => at <= beganAt),
  ]
}

function linksOf({ passing }: Evidence, failing: string, folder: string): LoadedEvidence['results'] {
  const [last] = passing
  return [
    { title: 'The failing result', path: failing },
    ...(last ? [{ title: 'The last passing result', path: `${folder}/${last.id}` }] : []),
  ]
}
