// Runs drafts: checks that aren't stored. In the transaction of the caller; the runs are queued when it commits.
import { randomUUID } from 'node:crypto'
import {
  applyGroup,
  type CheckType,
  type CheckValues,
  checkTypes,
  type DraftSessionRequest,
  type FieldIssue,
  invalidInput,
  type MemberCheck,
} from '@vedette/contracts'
import { readEntitlements } from '../accounts/entitlements.ts'
import { type Item, refuseIssues } from '../checks/change-checks.ts'
import { requireCheckFeatures } from '../checks/check-limits.ts'
import { checkExpressionIssues } from '../checks/expression-issues.ts'
import { type RunLocation, resolveLocation } from '../dispatch/choose-checks.ts'
import { requireRuns } from '../dispatch/quotas.ts'
import {
  type Started,
  startTestSession,
  type TestRequest,
  type TestRun,
} from '../dispatch/start-test-session.ts'
import { listGroupsById, type StoredGroup } from '../storage/checks/check-groups.ts'
import { listMissingCheckReferences } from '../storage/checks/check-references.ts'
import { keepAllSecrets, unpackCheck } from '../storage/checks/check-settings.ts'
import { findChecks } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import type { Draft, DraftGroup } from '../storage/runs/drafts.ts'
import { listPrivateLocationIds } from '../storage/runs/private-locations.ts'
import type { RunOrigin } from '../storage/runs/test-session-results.ts'
import type { TestSessionRow } from '../storage/runs/test-sessions.ts'

const maxRuns = 2_000

/** A draft of any client. Its settings have been parsed by the contract of its type. */
export interface RunnableDraft {
  check: CheckValues & {
    checkType: CheckType
    name: string
    groupId?: number | null | undefined
    locations?: string[] | null | undefined
  }
  checkId?: string | undefined
  group?: DraftGroup | undefined
  origin?: RunOrigin | undefined
}

export type DraftRunRequest = Omit<DraftSessionRequest, 'drafts'> &
  Pick<TestRequest<TestRun>, 'accountId' | 'userId' | 'suite' | 'provider' | 'projectId'> & {
    drafts: readonly RunnableDraft[]
    /** Where errors point to; absent: ["drafts", index, "check"]. */
    pathOf?: ((index: number) => (string | number)[]) | undefined
  }

export interface StartedDrafts {
  session: TestSessionRow
  /** `draft`: its index in the request. */
  runs: Started<TestRun & { draft: number }>[]
  /** In the order of the request. */
  checks: CheckValues[]
}

/** Refuses what creating the checks would refuse, except quotas: nothing is created. */
export async function runDrafts(
  tx: Db,
  vault: Vault,
  request: DraftRunRequest,
  now: number,
): Promise<StartedDrafts> {
  const drafts = await readDrafts(tx, vault, request)
  const placed = await placeDrafts(tx, vault, request)
  const runs = drafts.flatMap(({ id, checkType }, draft) => {
    const { name, runLocations } = placed[draft] ?? { name: '', runLocations: [] }
    const origin = request.drafts[draft]?.origin
    return runLocations.map((runLocation) => ({ id, checkType, name, runLocation, draft, origin }))
  })
  if (runs.length > maxRuns) {
    const message = `make ${runs.length} runs; a session may have ${maxRuns}. Send fewer checks or locations.`
    throw invalidInput([{ path: ['drafts'], message }])
  }
  await requireRuns(
    clientOf(tx),
    request.accountId,
    runs.map(({ checkType }) => checkType),
    now,
  )
  const test = {
    ...request,
    name: request.name ?? placed[0]?.name ?? '',
    isRecorded: request.shouldRecord,
    runs,
    drafts,
  }
  const started = await startTestSession(clientOf(tx), vault, test, now)
  return { ...started, checks: drafts.map(({ values }) => values) }
}

/** With the secrets of the stored checks that are being edited. */
async function readDrafts(
  tx: Db,
  vault: Vault,
  { accountId, drafts: requested, pathOf }: DraftRunRequest,
): Promise<Draft[]> {
  const ids = requested.flatMap(({ checkId }) => checkId ?? [])
  const stored = await findChecks(tx, accountId, ids)
  const items = requested.map(({ check, checkId, group }, index) => {
    const at = pathOf?.(index) ?? ['drafts', index, 'check']
    const { checkType } = check
    if (checkId === undefined)
      return { at, checkType, checkId: null, values: check, before: {}, issues: [], group }
    const row = stored.get(checkId.toLowerCase())
    const before = row?.check_type === checkType ? unsealDeep(vault, accountId, unpackCheck(row)) : {}
    const values = keepAllSecrets(check, before)
    const issues = storedIssues(row, checkType)
    return { at, checkType, checkId: row?.id ?? null, values, before, issues, group }
  })
  refuseIssues(
    items.map((item): Item => ({ at: item.at.slice(0, -1) })),
    items.map(({ issues }) => issues),
  )
  const values = items.map((item): CheckValues => item.values)
  refuseIssues(
    items,
    items.map(({ checkType }, index) => checkTypes[checkType].issues(values[index] ?? {})),
    checkExpressionIssues(values),
    await listMissingCheckReferences(tx, accountId, values),
  )
  const entitled = await readEntitlements(tx, accountId)
  for (const { values, before } of items) requireCheckFeatures(entitled, values, before)
  return items.map(({ checkType, checkId, values, group }) => ({
    id: randomUUID(),
    checkType,
    checkId,
    values,
    group,
  }))
}

function storedIssues(row: { check_type: string } | undefined, checkType: string): FieldIssue[] {
  if (row === undefined) return [{ path: ['checkId'], message: 'does not exist' }]
  if (row.check_type === checkType) return []
  return [{ path: ['checkId'], message: `is a check of type ${row.check_type}, not ${checkType}` }]
}

/** The runs of each draft: in the locations of the request, or in those of the check and its group. */
async function placeDrafts(
  tx: Db,
  vault: Vault,
  { accountId, drafts: requested, locations }: DraftRunRequest,
): Promise<{ name: string; runLocations: RunLocation[] }[]> {
  const privateIds = await listPrivateLocationIds(clientOf(tx), accountId)
  const groupIds = requested.flatMap(({ check }) => check.groupId ?? [])
  const groups = new Map(
    (await listGroupsById(tx, vault, accountId, groupIds)).map((group) => [group.id, group]),
  )
  const placed = requested.map(({ check }) => {
    const wanted = locations ?? listLocations(check, groups.get(check.groupId ?? 0))
    const runLocations = [...new Set(wanted)].flatMap(
      (location) => resolveLocation(location, check.checkType, privateIds) ?? [],
    )
    return { name: check.name, runLocations }
  })
  const known = new Set(placed.flatMap(({ runLocations }) => runLocations.map(({ location }) => location)))
  const issues =
    locations === undefined
      ? placed.map(({ runLocations }, index) => ({
          path: ['drafts', index, 'check', 'locations'],
          message: runLocations.length === 0 ? noLocation : null,
        }))
      : locations.map((location, index) => ({
          path: ['locations', index],
          message: known.has(location) ? null : unknownLocation,
        }))
  const found = issues.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]))
  if (found.length > 0) throw invalidInput(found)
  return placed
}

function listLocations(check: RunnableDraft['check'], group: StoredGroup | undefined): string[] {
  const { checkType, locations } = check
  const privateLocations = Array.isArray(check.privateLocations) ? check.privateLocations : null
  const member = { checkType, locations, privateLocations, activated: true, muted: false, tags: [] }
  const effective =
    group === undefined
      ? member
      : applyGroup<MemberCheck>(member, { ...group, alertChannelSubscriptions: [] })
  return [...(effective.locations ?? []), ...(effective.privateLocations ?? [])]
}

const unknownLocation = 'must be a location, or the slug of a private one'
const noLocation = 'is empty: add a location, or send locations beside drafts'
