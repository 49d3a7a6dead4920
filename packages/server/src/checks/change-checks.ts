// Creates, updates and deletes batches of checks of any type, in the transaction of the caller: all are changed or none.
import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type CheckType,
  type CheckValues,
  checkTypes,
  dayMs,
  type FieldIssue,
  invalidInput,
} from '@vedette/contracts'
import { z } from 'zod'
import { readEntitlements } from '../accounts/entitlements.ts'
import type { Clock } from '../core/clock.ts'
import { isRecord } from '../core/is-record.ts'
import { listMissingCheckReferences } from '../storage/checks/check-references.ts'
import { keepSecrets, packCheck, unpackCheck } from '../storage/checks/check-settings.ts'
import * as storage from '../storage/checks/checks.ts'
import { replaceSubscriptions, subscribeNew } from '../storage/checks/subscriptions.ts'
import type { Db } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import type { Vault } from '../storage/core/vault.ts'
import { requireCheckFeatures, requireCheckQuotas } from './check-limits.ts'
import { checkExpressionIssues } from './expression-issues.ts'
import { rescheduleChecks } from './reschedule.ts'
import { nextVersion, requireVersion } from './versions.ts'

export interface ChangeContext {
  accountId: string
  vault: Vault
  clock: Clock
}

const Subscriptions = z.array(z.object({ alertChannelId: z.number(), activated: z.boolean() })).optional()

export interface Item {
  /** The path of the check in the request, which issues begin with. Absent: the check is the whole request. */
  at?: readonly (string | number)[] | undefined
}

export interface NewCheck extends Item {
  type: CheckType
  values: CheckValues
  autoAssignAlerts?: boolean | undefined
}

export interface CheckChange {
  id: string
  /** The fields that were sent, with the secrets and tokens that were left out. */
  sent: CheckValues
  /** Empty for a new check. */
  before: CheckValues
  after: CheckValues
}

/** In the order of `checks`. */
export async function createChecks(
  tx: Db,
  { accountId, vault, clock }: ChangeContext,
  checks: readonly NewCheck[],
): Promise<CheckChange[]> {
  const entitled = await readEntitlements(tx, accountId)
  const types = checks.map(({ type }) => type)
  await requireCheckQuotas(tx, accountId, entitled, types)
  const created = checks.map(({ values, ...check }) => {
    const explicit = Subscriptions.parse(values.alertChannelSubscriptions)
    return { ...check, explicit, id: randomUUID(), values: withPingToken(values, randomUUID()) }
  })
  for (const { values } of created) requireCheckFeatures(entitled, values)
  const values = created.map((check) => check.values)
  refuseIssues(
    created,
    values.map((sent) => muteIssues(sent, {}, clock.now())),
    checkExpressionIssues(values),
    await listMissingCheckReferences(tx, accountId, values),
  )
  await refuseTakenTokens(() => storage.insertChecks(tx, vault, accountId, created))
  await subscribeNew(
    tx,
    accountId,
    created.map(({ id, autoAssignAlerts, explicit, at }) => ({
      target: { checkId: id },
      autoAssignAlerts,
      explicit,
      at,
    })),
  )
  await rescheduleChecks(tx, clock, accountId, created)
  return created.map(({ id, values: sent }) => ({ id, sent, before: {}, after: sent }))
}

export interface CheckUpdate extends Item {
  id: string
  /** Gets the stored type and returns the fields that were sent. Throws where they don't fit that type. */
  read: (type: CheckType) => CheckValues
  /** The caller's If-Match. Absent: the check is changed whatever its version. */
  ifMatch?: string | undefined
}

/** In the order of `updates`. 404 if the account doesn't have one of them. */
export async function updateChecks(
  tx: Db,
  { accountId, vault, clock }: ChangeContext,
  updates: readonly CheckUpdate[],
): Promise<CheckChange[]> {
  const ids = updates.map(({ id }) => id)
  const rows = await storage.lockChecks(tx, accountId, ids)
  const changes = updates.map(({ id, read, at, ifMatch }) => {
    const row = rows.get(id.toLowerCase())
    if (row === undefined) throw new ApiError('not_found')
    requireVersion(row, ifMatch)
    const type = row.check_type
    const before: CheckValues = unpackCheck(row)
    const sent = withStoredSecrets(withoutOldOffset(read(type), before), before)
    return { id: row.id, at, row, type, sent, before, after: { ...before, ...sent } }
  })
  refuseIssues(
    changes,
    changes.map(({ type, after }) => checkTypes[type].issues(after)),
    changes.map(({ sent, before }) => muteIssues(sent, before, clock.now())),
    checkExpressionIssues(changes.map(({ sent }) => sent)),
    await listMissingCheckReferences(tx, accountId, changes.map(changedReferences)),
  )
  const entitled = await readEntitlements(tx, accountId)
  for (const { after, before } of changes) requireCheckFeatures(entitled, after, before)
  const packed = changes.map(({ row, sent }) => ({ row, packed: packCheck(vault, accountId, sent) }))
  const updatedAt = nextVersion([...rows.values()], clock.now())
  await refuseTakenTokens(() => storage.updateChecks(tx, accountId, packed, updatedAt))
  await replaceSubscriptions(
    tx,
    accountId,
    changes.flatMap(({ id, sent, at }) => {
      const entries = Subscriptions.parse(sent.alertChannelSubscriptions)
      return entries === undefined ? [] : [{ target: { checkId: id }, entries, at }]
    }),
  )
  await rescheduleChecks(tx, clock, accountId, changes)
  return changes
}

/** 404 if the account doesn't have one of them. */
export async function deleteChecks(tx: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const unique = new Set(ids.map((id) => id.toLowerCase()))
  const deleted = await storage.deleteChecks(tx, accountId, [...unique])
  if (deleted.length < unique.size) throw new ApiError('not_found')
}

function refuseTakenTokens<T>(change: () => Promise<T>): Promise<T> {
  return mapUniqueViolation({ checks_ping_token: 'heartbeat.pingToken' }, change)
}

/** Throws if there are any. `issues`: lists in the order of the items. */
export function refuseIssues(items: readonly Item[], ...issues: FieldIssue[][][]): void {
  const all = items.flatMap(({ at = [] }, index) =>
    issues.flatMap((lists) =>
      (lists[index] ?? []).map(({ path, message }) => ({ path: [...at, ...path], message })),
    ),
  )
  if (all.length > 0) throw invalidInput(all)
}

const longestMuteMs = 366 * dayMs

/** What was read can be sent back, even if its time is over by then. */
export function muteIssues(
  { mutedUntil }: { mutedUntil?: unknown },
  before: { mutedUntil?: unknown },
  now: number,
): FieldIssue[] {
  if (typeof mutedUntil !== 'string' || mutedUntil === before.mutedUntil) return []
  const until = Date.parse(mutedUntil)
  if (until <= now) return [{ path: ['mutedUntil'], message: 'must be in the future' }]
  if (until > now + longestMuteMs) return [{ path: ['mutedUntil'], message: 'must be at most a year away' }]
  return []
}

/** A code bundle path that didn't change isn't looked up again: it stays usable. */
function changedReferences({ sent, before }: Pick<CheckChange, 'sent' | 'before'>): CheckValues {
  if (sent.codeBundlePath !== before.codeBundlePath) return sent
  const { codeBundlePath: _, ...others } = sent
  return others
}

/** An offset belongs to its frequency: 30 seconds within 5 minutes mean nothing within a day. */
function withoutOldOffset(sent: CheckValues, before: CheckValues): CheckValues {
  const isKept = sent.frequency === undefined || sent.frequency === before.frequency
  return isKept || sent.frequencyOffset !== undefined ? sent : { ...sent, frequencyOffset: null }
}

function withStoredSecrets(sent: CheckValues, before: CheckValues): CheckValues {
  const values: Record<string, unknown> = { ...sent }
  if (sent.environmentVariables !== undefined) {
    values.environmentVariables = keepSecrets(sent.environmentVariables, before.environmentVariables)
  }
  return withPingToken(values, pingTokenOf(before))
}

/** A token that isn't sent is generated for a new check; otherwise it stays, because people have it in their scripts. */
function withPingToken(values: CheckValues, fallback: string | undefined): CheckValues {
  const { heartbeat } = values
  if (!isRecord(heartbeat)) return values
  return { ...values, heartbeat: { ...heartbeat, pingToken: pingTokenOf(values) ?? fallback } }
}

function pingTokenOf({ heartbeat }: CheckValues): string | undefined {
  const token = isRecord(heartbeat) ? heartbeat.pingToken : undefined
  return typeof token === 'string' && token !== '' ? token : undefined
}
