// Runs checks on request: check sessions, test sessions and trigger URLs. In the transaction of the caller; the runs are queued
// when it commits.
import {
  ApiError,
  type CheckType,
  invalidInput,
  type TestSessionRequest,
  type TriggerOptions,
} from '@vedette/contracts'
import { requireFeature } from '../accounts/entitlements.ts'
import { type ChosenCheck, chooseChecks, resolveLocation, type Target } from '../dispatch/choose-checks.ts'
import { requireRuns, takeRuns } from '../dispatch/quotas.ts'
import { startCheckSessions } from '../dispatch/start-check-sessions.ts'
import {
  type Started,
  startTestSession,
  type TestRequest,
  type TestRun,
} from '../dispatch/start-test-session.ts'
import type { StoredGroup } from '../storage/checks/check-groups.ts'
import { areHeartbeats } from '../storage/checks/checks.ts'
import { insertDeployment } from '../storage/checks/deployments.ts'
import { markCalled, type TriggerRow } from '../storage/checks/triggers.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import type { CheckSessionRow } from '../storage/runs/check-sessions.ts'
import { listPrivateLocationIds } from '../storage/runs/private-locations.ts'
import type { TestSessionRow } from '../storage/runs/test-sessions.ts'

export interface TriggerRequest {
  accountId: string
  target: Target
  refreshCache?: boolean
}

/** One session for each check, in all of its locations. */
export async function triggerChecks(
  tx: Db,
  { accountId, target, refreshCache = false }: TriggerRequest,
  now: number,
): Promise<CheckSessionRow[]> {
  const checks = withLocations(await requireChecks(tx, accountId, target))
  const request = { accountId, checks, runSource: 'TRIGGER_API' as const, refreshCache }
  await requireRuns(clientOf(tx), accountId, typesOf(checks), now)
  return startCheckSessions(clientOf(tx), request, now)
}

export type TriggerTestRequest = TestSessionRequest &
  Pick<TestRequest<TestRun>, 'accountId' | 'userId' | 'suite' | 'provider'> & { isRecorded?: boolean }

/** Runs checks once that were deployed, each in its first location. Those that can't run now are left out. */
export async function runDeployedChecks(
  tx: Db,
  accountId: string,
  checkIds: string[],
  now: number,
): Promise<void> {
  if (checkIds.length === 0) return
  const chosen = await chooseChecks(clientOf(tx), accountId, { checkId: checkIds })
  const checks = chosen
    .filter(({ runLocations }) => runLocations.length > 0)
    .map((check) => ({ ...check, runLocations: check.runLocations.slice(0, 1) }))
  if (checks.length === 0) return
  // A deployment doesn't fail because of them.
  if ((await takeRuns(clientOf(tx), accountId, typesOf(checks), now)) !== null) return
  await startCheckSessions(clientOf(tx), { accountId, checks, runSource: 'CLI_DEPLOY' }, now)
}

/** One session for all checks, in one location. */
export async function triggerTest(
  tx: Db,
  vault: Vault,
  request: TriggerTestRequest,
  now: number,
): Promise<{ session: TestSessionRow; runs: Started<TestRun>[] }> {
  const { accountId, runLocation: location, target = { allowDeactivated: false } } = request
  const chosen = await requireChecks(tx, accountId, target)
  const privateIds = await listPrivateLocationIds(clientOf(tx), accountId)
  const runs = chosen.map((check) => {
    const runLocation = resolveLocation(location, check.checkType, privateIds)
    if (runLocation === null) throw unknownLocation()
    return { ...check, runLocation }
  })
  await requireRuns(
    clientOf(tx),
    accountId,
    runs.map(({ checkType }) => checkType),
    now,
  )
  const test = { isRecorded: true, ...request, runs, drafts: [] }
  return startTestSession(clientOf(tx), vault, test, now)
}

/** A trigger URL was called: one session for each of its checks. `group`: the group of the trigger. */
export async function callTrigger(
  tx: Db,
  row: TriggerRow,
  group: StoredGroup | null,
  options: TriggerOptions,
  now: number,
): Promise<CheckSessionRow[]> {
  const { account_id: accountId, check_id: checkId, group_id: groupId } = row
  const target = checkId !== null ? { checkId: [checkId] } : { groupId: groupId ?? 0 }
  const chosen = await requireChecks(tx, accountId, target)
  const checks = await withOneLocation(tx, accountId, chosen, options.runLocation)
  await requireRuns(clientOf(tx), accountId, typesOf(checks), now)
  await markCalled(tx, row, new Date(now))
  if (options.deployment) await recordDeployment(tx, row, options, now)
  const request = {
    accountId,
    checks,
    runSource: options.deployment ? ('DEPLOYMENT' as const) : ('LEGACY_TRIGGER' as const),
    environmentUrl: options.environmentUrl,
    environmentName: options.environmentName,
    ...(group === null ? {} : { concurrency: group.concurrency }),
  }
  return startCheckSessions(clientOf(tx), request, now)
}

/** One for each run. */
function typesOf(checks: readonly ChosenCheck[]): CheckType[] {
  return checks.flatMap(({ checkType, runLocations }) => runLocations.map(() => checkType))
}

/** 404 if none matches; 402 if the plan lost a feature that one of them needs. */
async function requireChecks(tx: Db, accountId: string, target: Target): Promise<ChosenCheck[]> {
  const chosen = await chooseChecks(clientOf(tx), accountId, target)
  if (chosen.length === 0) {
    const isHeartbeat = await areHeartbeats(tx, accountId, target.checkId ?? [])
    const message = isHeartbeat
      ? "Heartbeat monitors can't be triggered: they wait for pings."
      : 'No matching checks were found.'
    throw new ApiError('not_found', { message })
  }
  if (chosen.some(({ checkType }) => checkType === 'AGENTIC')) {
    await requireFeature(tx, accountId, 'AGENTIC_CHECKS')
  }
  return chosen
}

/** choice: checks without a location are left out; it is an error only if no others are left. */
function withLocations(chosen: ChosenCheck[]): ChosenCheck[] {
  const runnable = chosen.filter(({ runLocations }) => runLocations.length > 0)
  if (runnable.length === 0) {
    throw new ApiError('not_found', { message: 'None of the matching checks has a location to run in.' })
  }
  return runnable
}

/** For checks without a location. */
const defaultLocation = 'us-east-1'

/** choice: in the first location of each check; a location that the caller names is used for all of them. */
async function withOneLocation(
  tx: Db,
  accountId: string,
  chosen: ChosenCheck[],
  runLocation: string | undefined,
): Promise<ChosenCheck[]> {
  const privateIds = await listPrivateLocationIds(clientOf(tx), accountId)
  return chosen.map((check) => {
    const [first] = check.runLocations
    const resolved =
      runLocation === undefined && first !== undefined
        ? first
        : resolveLocation(runLocation ?? defaultLocation, check.checkType, privateIds)
    if (resolved === null) throw unknownLocation()
    return { ...check, runLocations: [resolved] }
  })
}

function unknownLocation(): ApiError {
  return invalidInput([
    { path: ['runLocation'], message: 'must be a location, or the slug of a private one' },
  ])
}

async function recordDeployment(
  tx: Db,
  row: TriggerRow,
  options: TriggerOptions,
  now: number,
): Promise<void> {
  await insertDeployment(tx, {
    account_id: row.account_id,
    environment_name: options.environmentName ?? null,
    environment_url: options.environmentUrl ?? null,
    repository: options.repository ?? null,
    sha: options.sha ?? null,
    deployment_id: options.deploymentId ?? null,
    check_id: row.check_id,
    group_id: row.group_id,
    created_at: new Date(now),
  })
}
