import type {
  TestSession,
  TestSessionEntry,
  TestSessionResult,
  TestSessionResultDetail,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { LinkTo } from '../../links/signed-link.ts'
import type { ProjectRow } from '../../storage/projects/projects.ts'
import type { ListedTestResult, TestResultRow } from '../../storage/runs/test-session-results.ts'
import type { ListedTestSession, TestSessionRow } from '../../storage/runs/test-sessions.ts'
import { readDetail } from '../results/result-detail.ts'
import type { ResultFile } from '../results/serialize-code-result.ts'
import { serializeEvidence } from '../results/serialize-evidence.ts'

type Entry = z.output<typeof TestSessionEntry>

/** By their ids. Deleted ones are absent. */
type Projects = ReadonlyMap<string, ProjectRow>

function projectOf({ project_id }: TestSessionRow, projects: Projects): Entry['project'] {
  const project = projects.get(project_id ?? '')
  return project === undefined ? null : { id: project.id, logicalId: project.logical_id, name: project.name }
}

export function serializeTestSession(
  row: TestSessionRow,
  results: readonly ListedTestResult[],
  { linkTo, now, projects }: { linkTo: LinkTo; now: number; projects: Projects },
): z.output<typeof TestSession> {
  const stoppedAt = row.stopped_at === null ? now : Date.parse(row.stopped_at)
  return {
    testSessionId: row.id,
    testSessionLink: linkTo('testSession', row.id),
    name: row.name,
    status: row.status,
    errorGroupIds: errorGroupsOf(results),
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    timeElapsed: Math.max(0, stoppedAt - Date.parse(row.started_at)),
    metadata: row.metadata,
    project: projectOf(row, projects),
    results: results.map((result) => serializeTestResult(result, linkTo)),
  }
}

function serializeTestResult(row: ListedTestResult, linkTo: LinkTo): z.output<typeof TestSessionResult> {
  return {
    testSessionResultId: row.id,
    testSessionResultLink: linkTo('testResult', row.test_session_id, row.id),
    checkId: row.check_id,
    checkType: row.check_type,
    name: row.name,
    runLocation: row.location,
    ranAt: row.ran_at,
    errorGroupIds: row.error_group_ids ?? [],
    resultType: row.result_type,
    status: row.status,
    hasErrors: row.has_errors,
    hasFailures: row.has_failures,
    isDegraded: row.is_degraded,
    aborted: row.is_cancelled,
    responseTime: row.response_time,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
  }
}

export function serializeTestResultDetail(
  row: TestResultRow,
  linkTo: LinkTo,
  files: readonly ResultFile[],
): z.output<typeof TestSessionResultDetail> {
  const detail = readDetail(row.detail)
  const { kind, message, phase, address = null, code = null } = detail?.failure ?? {}
  return {
    ...serializeTestResult(row, linkTo),
    ...serializeEvidence(row.check_type, detail, files),
    failure:
      kind === undefined ? null : { kind, message: message ?? '', phase: phase ?? null, address, code },
    diagnostics: detail?.diagnostics ?? null,
    id: row.id,
    privateLocationId: row.private_location_id,
    filePath: row.file_path,
    isCancelled: row.is_cancelled,
    overMaxResponseTime: row.over_max_response_time,
    attempts: row.attempt,
    sequenceId: row.sequence_id,
    scheduleError: row.schedule_error,
    traceId: null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Relative to this server, as for results of checks. */
export function testAssetFolder({ test_session_id, id }: ListedTestResult): string {
  return `/v1/assets/test-session-results/${test_session_id}/${id}`
}

export function serializeTestSessionEntry(
  row: ListedTestSession,
  results: readonly ListedTestResult[],
  projects: Projects,
): Entry {
  const withStatus = (status: Entry['status']) =>
    results
      .filter((result) => result.result_type !== 'ATTEMPT' && result.status === status)
      .map(({ sequence_id }) => sequence_id)
  const { repoUrl, commitId, commitOwner, commitMessage, branchName, environment } = row.metadata
  const name = row.invoker_name ?? row.invoker_email
  return {
    id: row.id,
    accountId: row.account_id,
    projectId: row.project_id,
    project: projectOf(row, projects),
    name: row.name,
    provider: row.provider,
    errorGroupIds: errorGroupsOf(results),
    running: withStatus('RUNNING'),
    passed: withStatus('PASSED'),
    failed: withStatus('FAILED'),
    cancelled: withStatus('CANCELLED'),
    status: row.status,
    region: row.location,
    privateLocationId: row.private_location_id,
    invoker: name === null ? null : { name, picture: null },
    repoUrl: repoUrl ?? null,
    commitId: commitId ?? null,
    commitOwner: commitOwner ?? null,
    commitMessage: commitMessage ?? null,
    branchName: branchName ?? null,
    environment: environment ?? null,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function errorGroupsOf(results: readonly ListedTestResult[]): string[] {
  return [...new Set(results.flatMap(({ error_group_ids }) => error_group_ids ?? []))]
}
