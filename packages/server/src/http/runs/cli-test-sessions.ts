// Test sessions of existing command-line clients.
import {
  ApiError,
  awaitScheduling,
  type CliRunLocation,
  getLogForCli,
  getRunDataForCli,
  getTestResultLinks,
  getTestSessionLink,
  runCheckJobs,
  triggerForCli,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { publicUrl } from '../../core/public-url.ts'
import { testProject } from '../../projects/test-project.ts'
import { triggerTest } from '../../runs/trigger-checks.ts'
import { transact } from '../../storage/core/db.ts'
import { findTestResult } from '../../storage/runs/test-session-results.ts'
import { codeErrors, readDetail, serializeLog, serializeRunData } from '../results/result-detail.ts'
import { listResultFiles } from '../results/result-files.ts'
import { type Deps, linksOf } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { wakeClaims } from './claim-wait.ts'
import { requireTestSession } from './read-test-session.ts'

export function cliTestSessionRoutes(deps: Deps): Mounted[] {
  const { store, vault, clock } = deps
  const { db } = store
  const requireDetail = async (accountId: string, key: string) => {
    const [sessionId = '', id = ''] = key.split('/')
    const row = orNotFound(await findTestResult(db, accountId, sessionId, id))
    return { checkType: row.check_type, detail: orNotFound(readDetail(row.detail)) }
  }
  return [
    handle(runCheckJobs, async ({ account, principal, body }) => {
      const request = { ...body, accountId: account.id, userId: principal.userId }
      const { started, logicalIds } = await transact(db, (tx) => testProject(tx, vault, request, clock.now()))
      wakeClaims()
      const { session, runs } = started
      return { schedulingId: session.id, ...serializeStarted(session, runs, logicalIds) }
    }),
    handle(awaitScheduling, async ({ account, params }) => {
      const { id } = await requireTestSession(deps, account, params.schedulingId)
      return { id, status: 'SUCCEEDED' as const }
    }),
    handle(triggerForCli, async ({ account, principal, body }) => {
      const { targetTags, checkId, checkRunSuiteId, testRetryStrategy, repoInfo, environment } = body
      const request = {
        accountId: account.id,
        userId: principal.userId,
        name: body.name,
        isRecorded: body.shouldRecord,
        runLocation: slugOf(body.runLocation),
        environmentVariables: body.environmentVariables,
        retryStrategy: testRetryStrategy ?? null,
        refreshCache: body.refreshCache ?? false,
        metadata: { ...repoInfo, ...(environment != null && { environment }) },
        target: {
          allowDeactivated: false,
          ...(targetTags != null && { matchTags: targetTags }),
          ...(checkId != null && { checkId }),
        },
        suite: { id: checkRunSuiteId, streamLogs: false },
        provider: 'TRIGGER' as const,
      }
      const { session, runs } = await transact(db, (tx) =>
        triggerTest(tx, vault, request, clock.now()),
      ).catch((error: unknown) => {
        throw error instanceof ApiError && error.code === 'not_found' ? noMatch(error.message) : error
      })
      wakeClaims()
      const ids = runs.map(({ id }) => id)
      return {
        ...serializeStarted(session, runs, ids),
        checks: runs.map(({ id, name }) => ({ id, name })),
      }
    }),
    handle(getTestSessionLink, async ({ account, params }) => {
      const { id } = await requireTestSession(deps, account, params.testSessionId)
      return { link: (await linksOf(deps, account.id))('testSession', id) }
    }),
    handle(getTestResultLinks, async ({ account, params }) => {
      const { testSessionId, testSessionResultId } = params
      const row = orNotFound(await findTestResult(db, account.id, testSessionId, testSessionResultId))
      const files = await listResultFiles(deps, account.id, { resultId: row.id })
      const root = publicUrl(deps.config)
      const linksTo = (kind: string) =>
        files.filter(({ type }) => type === kind).map(({ url }) => (url.startsWith('/') ? root + url : url))
      return {
        testResultLink: (await linksOf(deps, account.id))('testResult', row.test_session_id, row.id),
        testTraceLinks: linksTo('trace'),
        videoLinks: linksTo('video'),
        screenshotLinks: linksTo('screenshot'),
      }
    }),
    handle(getLogForCli, async ({ account, params }) => {
      const { checkType, detail } = await requireDetail(account.id, params.key)
      const log = serializeLog(checkType, { ...detail, jobLog: detail.jobLog ?? [] }) ?? []
      if (!Array.isArray(log)) return log
      // Clients show nothing else of a code run.
      const time = log.at(-1)?.time ?? clock.now()
      return [...log, ...codeErrors(detail).map((msg) => ({ time, level: 'ERROR' as const, msg }))]
    }),
    handle(getRunDataForCli, async ({ account, params }) => {
      const { checkType, detail } = await requireDetail(account.id, params.key)
      return serializeRunData(checkType, detail)
    }),
  ]
}

/** `keys`: of the maps, in the order of the runs. */
function serializeStarted(
  { id, is_recorded }: { id: string; is_recorded: boolean },
  runs: readonly { sequenceId: string; resultId: string }[],
  keys: readonly string[],
) {
  const mapOf = (field: 'sequenceId' | 'resultId') =>
    Object.fromEntries(runs.map((run, index) => [keys[index] ?? '', run[field]]))
  return {
    sequenceIds: mapOf('sequenceId'),
    ...(is_recorded && { testSessionId: id, testResultIds: mapOf('resultId') }),
  }
}

function slugOf(location: CliRunLocation): string {
  return location.type === 'PUBLIC' ? location.region : location.slugName
}

function noMatch(message: string): ApiError {
  return new ApiError('forbidden', { message, extra: { errorCode: 'ERR_NO_MATCHING_CHECKS' } })
}
