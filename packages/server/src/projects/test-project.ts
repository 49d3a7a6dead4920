// Runs checks of a project that needn't be deployed, as command-line clients send them. In the transaction of the caller.
import {
  CheckGroupInput,
  CheckGroupInputV2,
  type CheckType,
  CheckVariables,
  type CliCheckRunJob,
  type CliRunRequest,
  type FieldIssue,
  fieldIssuesOf,
  invalidInput,
} from '@vedette/contracts'
import { z } from 'zod'
import { type RunnableDraft, runDrafts, type StartedDrafts } from '../runs/run-drafts.ts'
import type { Db } from '../storage/core/db.ts'
import type { Vault } from '../storage/core/vault.ts'
import { findProject } from '../storage/projects/projects.ts'
import type { DraftGroup } from '../storage/runs/drafts.ts'
import { readCheckPayload, withRetries } from './payloads/check-payload.ts'

export interface TestProjectRequest extends CliRunRequest {
  accountId: string
  userId: string | null
}

export interface StartedProject {
  started: StartedDrafts
  /** In the order of the runs. */
  logicalIds: string[]
}

/** Refuses what deploying the checks would refuse, except quotas and what doesn't matter to a run. */
export async function testProject(
  tx: Db,
  vault: Vault,
  request: TestProjectRequest,
  now: number,
): Promise<StartedProject> {
  const { checkRunJobs: jobs, runLocation, environment, repoInfo } = request
  const issues: FieldIssue[] = [...listDuplicates(jobs), ...listOtherSuites(jobs)]
  const drafts = jobs.flatMap((job, index) => {
    const read = readJob(job, request.sharedFiles)
    if (!Array.isArray(read)) return read
    issues.push(...read.map(({ path, message }) => ({ path: ['checkRunJobs', index, ...path], message })))
    return []
  })
  if (issues.length > 0) throw invalidInput(issues.map((issue) => named(issue, jobs)))
  const suite = jobs[0]?.sourceInfo.checkRunSuiteId ?? ''
  const project = await findProject(tx, request.accountId, request.project.logicalId)
  const started = await runDrafts(
    tx,
    vault,
    {
      accountId: request.accountId,
      userId: request.userId,
      // Tests of projects that were never deployed have none.
      projectId: project?.id ?? null,
      name: request.name,
      shouldRecord: request.shouldRecord,
      locations: [runLocation.type === 'PUBLIC' ? runLocation.region : runLocation.slugName],
      retryStrategy: jobs[0]?.testRetryStrategy ?? null,
      refreshCache: request.refreshCache ?? false,
      environmentVariables: [],
      metadata: { ...repoInfo, ...(environment != null && { environment }) },
      drafts,
      pathOf: (index) => ['checkRunJobs', index],
      suite: {
        id: suite,
        streamLogs: request.streamLogs ?? false,
        updateSnapshots: jobs.some(({ sourceInfo }) => sourceInfo.updateSnapshots === true),
      },
      provider: repoInfo?.github === undefined ? 'API' : 'GITHUB',
    },
    now,
  )
  return { started, logicalIds: started.runs.map(({ draft }) => jobs[draft]?.logicalId ?? '') }
}

/** Fields of a check that say when and where it runs and who is notified: a test ignores them. */
const irrelevant = {
  locations: [],
  privateLocations: [],
  alertChannelSubscriptions: undefined,
  alertSettings: undefined,
  useGlobalAlertSettings: true,
  triggerIncident: undefined,
  retryStrategy: undefined,
  doubleCheck: undefined,
}

function readJob(
  job: CliCheckRunJob,
  sharedFiles: CliRunRequest['sharedFiles'],
): RunnableDraft | FieldIssue[] {
  const { logicalId, filePath, sourceInfo, group: groupPayload, testRetryStrategy: _, ...payload } = job
  const group = readGroup(groupPayload)
  const groupId = group === null ? storedGroupOf(payload.groupId) : null
  const check = readCheckPayload({ ...payload, ...irrelevant, groupId }, sharedFiles)
  const variables = CheckVariables.nullish().safeParse(payload.environmentVariables, { reportInput: true })
  const extras = ScriptExtras.safeParse(payload, { reportInput: true })
  const issues = [
    ...(extras.success ? [] : fieldIssuesOf(extras.error.issues)),
    ...('issues' in check ? check.issues : []),
    ...(Array.isArray(group)
      ? group.map(({ path, message }) => ({ path: ['group', ...path], message }))
      : []),
    ...(variables.success ? [] : fieldIssuesOf(variables.error.issues)),
  ]
  if ('issues' in check || Array.isArray(group) || issues.length > 0) return issues
  const { type: checkType, values } = check
  if (checkType === 'HEARTBEAT')
    return [{ path: ['checkType'], message: "can't be run: heartbeats wait for pings" }]
  return {
    check: {
      ...values,
      checkType,
      name: job.name,
      groupId,
      // Also for types that have no variables of their own: their templates can name those of the command line.
      environmentVariables: (variables.data ?? []).map(({ value, ...rest }) => ({
        ...rest,
        value: value ?? '',
      })),
      ...(hasSnapshots(checkType) && {
        ...extras.data,
        updateSnapshots: sourceInfo.updateSnapshots === true,
      }),
    },
    group: group ?? undefined,
    origin: { checkRunId: sourceInfo.checkRunId ?? null, logicalId, filePath: filePath ?? null },
  }
}

/** What the test runner gets besides the script. */
const ScriptExtras = z.object({
  playwrightConfig: z.looseObject({}).nullish(),
  snapshots: z
    .array(z.object({ key: z.string().min(1).max(300), path: z.string().min(1).max(1000) }))
    .max(200)
    .nullish(),
})

const hasSnapshots = (type: CheckType) => type === 'BROWSER' || type === 'MULTI_STEP'

/** Null: the check has no group, or one that is stored. */
function readGroup(payload: CliCheckRunJob['group']): DraftGroup | FieldIssue[] | null {
  if (payload == null) return null
  const body = payload.v === 2 ? CheckGroupInputV2 : CheckGroupInput
  const { frequency: _frequency, ...rest } = payload
  const relevant = {
    ...withRetries(rest),
    locations: [],
    privateLocations: [],
    alertChannelSubscriptions: [],
  }
  const parsed = body.safeParse(relevant, { reportInput: true })
  if (!parsed.success) return fieldIssuesOf(parsed.error.issues)
  const { alertChannelSubscriptions: _subscriptions, ...group } = parsed.data
  return group
}

/** Clients refer to a stored group by its id, with this prefix. */
function storedGroupOf(reference: unknown): number | null {
  const ref = typeof reference === 'object' && reference !== null && 'ref' in reference ? reference.ref : null
  const id = /^check-group-(\d{1,9})$/.exec(String(ref))?.[1]
  return id === undefined ? null : Number(id)
}

/** Responses have the logical ids as keys. */
function listDuplicates(jobs: readonly CliCheckRunJob[]): FieldIssue[] {
  const seen = new Set<string>()
  return jobs.flatMap(({ logicalId }, index) => {
    if (!seen.has(logicalId)) {
      seen.add(logicalId)
      return []
    }
    return [{ path: ['checkRunJobs', index, 'logicalId'], message: 'must be unique' }]
  })
}

function listOtherSuites(jobs: readonly CliCheckRunJob[]): FieldIssue[] {
  const first = jobs[0]?.sourceInfo.checkRunSuiteId
  return jobs.flatMap(({ sourceInfo }, index) =>
    sourceInfo.checkRunSuiteId === first
      ? []
      : [
          {
            path: ['checkRunJobs', index, 'sourceInfo', 'checkRunSuiteId'],
            message: 'must be the same for all checks',
          },
        ],
  )
}

/** People know their checks by logical ids, not by their indexes in the request. */
function named({ path, message }: FieldIssue, jobs: readonly CliCheckRunJob[]): FieldIssue {
  const logicalId = jobs[Number(path[1])]?.logicalId
  return logicalId === undefined ? { path, message } : { path, message: `of "${logicalId}" ${message}` }
}
