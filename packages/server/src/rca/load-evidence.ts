// Loads the evidence for an error group: its failing run and the runs around it. Reads one account only.
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { findCheckName } from '../storage/checks/check-names.ts'
import type { Db } from '../storage/core/db.ts'
import { findErrorGroup } from '../storage/results/error-groups.ts'
import * as around from '../storage/results/failure-evidence.ts'
import type { ResultRow } from '../storage/results/result-reads.ts'
import type { AnalysisRow } from '../storage/results/root-cause-analyses.ts'
import { findTestErrorGroup } from '../storage/runs/test-session-error-groups.ts'
import type { Change, Evidence, EvidenceRun, NeighborRun } from './evidence.ts'
import { runOf, testRunOf } from './stored-run.ts'

/** How far back passing runs are searched: older runs differ for other reasons. */
const compareMs = 7 * dayMs
const mostFailures = 6
const mostCounted = 500
/** Enough to see whether the failures ended, and in which locations. */
const mostAfter = 50

export interface LoadedEvidence {
  evidence: Evidence
  checkId: string | null
  /** Paths below the account of the results to link, the failing one first. */
  results: { title: string; path: string }[]
}

/** Null: no run of the group is stored anymore. */
export async function loadEvidence(db: Db, request: AnalysisRow): Promise<LoadedEvidence | null> {
  return request.error_group_id === null
    ? loadTestEvidence(db, request)
    : loadCheckEvidence(db, request, request.error_group_id)
}

async function loadCheckEvidence(
  db: Db,
  request: AnalysisRow,
  groupId: string,
): Promise<LoadedEvidence | null> {
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
  const beganAt = await findBeginning(db, of, failing, failures, Date.parse(group.first_seen))
  const endedAt = Math.max(...failures.map(({ at }) => at)) + 1
  const [passing, meanwhile, during, after] = await Promise.all([
    listPassesBefore(db, of, beganAt, failing.location),
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
    neighbors: await listNeighbors(db, of, failing.at),
    changes: await listChangesBefore(db, of, passing, beganAt),
    beganAt,
    userContext: request.user_context,
  }
  const folder = `/checks/${group.check_id}/results`
  return { evidence, checkId: group.check_id, results: linksOf(evidence, `${folder}/${failing.id}`, folder) }
}

/** A test is compared with the runs of its check, because tests have no history. */
async function loadTestEvidence(db: Db, request: AnalysisRow): Promise<LoadedEvidence | null> {
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
  const passing = of ? await listPassesBefore(db, of, beganAt, failing.location) : []
  const evidence = {
    checkName: lead.name,
    checkType: lead.check_type,
    failing,
    failures: rows.filter((row) => row !== lead && row.check_id === lead.check_id).map(testRunOf),
    passing,
    meanwhile: [],
    since: [failing],
    neighbors: of ? await listNeighbors(db, of, failing.at) : [],
    changes: of ? await listChangesBefore(db, of, passing, beganAt) : [],
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
 * When the failures began: at the first failure after the last passing run in the location, or, if the error group is less than a
 * day old, at its first failure, because intermittent failures begin with the first one.
 */
async function findBeginning(
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

/**
 * Prefers runs of the same location: addresses and times differ between locations. If none of them has details any more,
 * earlier runs with kept details are added.
 */
async function listPassesBefore(
  db: Db,
  of: around.OfCheck,
  beganAt: number,
  location: string,
): Promise<EvidenceRun[]> {
  const span = { from: beganAt - compareMs, to: beganAt }
  const list = async (options: { location?: string; isKept?: boolean }) =>
    (await around.listPassesOf(db, of, span, { limit: 5, ...options })).map(passOf)
  const here = await list({ location })
  const where = here.length > 0 ? { location } : {}
  const latest = here.length > 0 ? here : await list({})
  if (latest.some(({ facts }) => facts !== null)) return latest
  return [...latest, ...(await list({ ...where, isKept: true }))]
}

async function listNeighbors(db: Db, of: around.OfCheck, at: number): Promise<NeighborRun[]> {
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

/** Deployments are marked when they are done, so failures may begin before the mark. */
const markedLateMs = 5 * minuteMs

async function listChangesBefore(
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
      const environment = row.environment_name ?? row.environment_url
      const what = [
        'the deployment',
        name,
        row.repository && `of ${row.repository}`,
        environment && `to ${environment}`,
      ]
      return { kind: 'deployment', at: Date.parse(row.created_at), what: what.filter(Boolean).join(' ') }
    }),
    ...settings
      .map(({ what, at }): Change => ({ kind: 'settings', at: Date.parse(at), what }))
      // A setting that changed after the first failure isn't its cause.
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
