// What a client that follows its runs receives about one of them. Pure.
import type { SuiteRun, SuiteSession } from '../storage/runs/suite-runs.ts'

export interface SuiteMessage {
  sequenceId: string
  checkRunId: string
  subtopic: 'run-start' | 'stream-logs' | 'result' | 'error'
  payload: unknown
}

type Run = Pick<SuiteRun, 'sequence_id' | 'check_run_id'>

export function startMessage(run: Run): SuiteMessage {
  return { ...addressOf(run), subtopic: 'run-start', payload: {} }
}

export function logMessage(run: Run, lines: readonly { time: number; msg: string }[]): SuiteMessage {
  const logs = lines.map(({ time, msg }) => ({ timestamp: time, message: msg }))
  return { ...addressOf(run), subtopic: 'stream-logs', payload: { logs } }
}

/** A run that no agent made ends with an error, which is a text. */
export function endMessage(
  row: SuiteRun,
  { isRecorded }: Pick<SuiteSession, 'isRecorded'>,
  { suiteId, snapshots }: { suiteId: string; snapshots: readonly { id: string; name: string }[] },
): SuiteMessage {
  if (row.schedule_error !== null) {
    return { ...addressOf(row), subtopic: 'error', payload: row.schedule_error }
  }
  const key = `${row.test_session_id}/${row.id}`
  return {
    ...addressOf(row),
    subtopic: 'result',
    payload: {
      // Clients keep their own logicalId and sourceFile beside these fields.
      result: {
        name: row.name,
        checkId: row.check_id,
        checkType: row.check_type,
        // Clients decide by failures only whether a run has passed.
        hasFailures: row.has_failures || row.has_errors,
        hasErrors: row.has_errors,
        isDegraded: row.is_degraded,
        isCancelled: row.is_cancelled,
        overMaxResponseTime: row.over_max_response_time,
        startedAt: row.started_at ?? row.stopped_at ?? row.updated_at ?? row.created_at,
        stoppedAt: row.stopped_at ?? row.updated_at ?? row.created_at,
        responseTime: row.response_time,
        runLocation: row.location,
        attempts: row.attempt,
        sourceInfo: { checkRunSuiteId: suiteId, checkRunId: row.check_run_id },
        ...(row.hasDetail && {
          assets: {
            region: row.location,
            logPath: key,
            checkRunDataPath: key,
            ...(snapshots.length > 0 && {
              snapshots: snapshots.map(({ id, name }) => ({ key: snapshotKey(row, id), path: name })),
            }),
          },
        }),
      },
      resultType: row.result_type === 'FINAL' ? 'FINAL' : 'ATTEMPT',
      ...(isRecorded && { testResultId: row.id }),
    },
  }
}

/** A snapshot that a run has written, as clients download it. */
function snapshotKey({ test_session_id, id }: Pick<SuiteRun, 'test_session_id' | 'id'>, fileId: string) {
  return `${snapshotRoot}/${test_session_id}/${id}/${fileId}`
}

const snapshotRoot = 'test-session-results'
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const keyPattern = new RegExp(`^${snapshotRoot}/(${uuid})/(${uuid})/(${uuid})$`)

/** Null: a key of something else. */
export function readSnapshotKey(
  key: string,
): { sessionId: string; resultId: string; artifactId: string } | null {
  const [, sessionId, resultId, artifactId] = keyPattern.exec(key) ?? []
  if (sessionId === undefined || resultId === undefined || artifactId === undefined) return null
  return { sessionId, resultId, artifactId }
}

/** Clients that name no run get the id of the sequence there. */
function addressOf({ sequence_id, check_run_id }: Run) {
  return { sequenceId: sequence_id, checkRunId: check_run_id ?? sequence_id }
}
