// Creating and updating checks of any type: one transaction each.
import { randomUUID } from 'node:crypto'
import {
  type Check,
  type CheckType,
  type CheckValues,
  checkTypes,
  type FieldIssue,
  invalidInput,
} from '@vedette/contracts'
import { requireCheckFeatures, requireRoomForCheck } from '../../checks/check-limits.ts'
import { type Warn, warnOfRemoved, warnOfScripts, warnOfVariables } from '../../checks/check-warnings.ts'
import { checkExpressionIssues } from '../../checks/expression-issues.ts'
import { rescheduleCheck } from '../../checks/reschedule.ts'
import { findGroup } from '../../storage/checks/check-groups.ts'
import { listMissingCheckReferences } from '../../storage/checks/check-references.ts'
import { keepSecrets, packCheck, unpackCheck } from '../../storage/checks/check-settings.ts'
import { findCheck, findCheckForUpdate, insertCheck, updateCheck } from '../../storage/checks/checks.ts'
import {
  type ChannelSubscription,
  replaceSubscriptions,
  subscribeNew,
} from '../../storage/checks/subscriptions.ts'
import { transact } from '../../storage/core/db.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { mapUniqueViolation } from '../transport/map-unique-violation.ts'
import { orNotFound } from '../transport/mount.ts'
import { serializeChecks } from './serialize-check.ts'

const uniqueFields = { checks_ping_token: 'heartbeat.pingToken' }

export async function createCheckOf(
  deps: Deps,
  account: AccountContext,
  type: CheckType,
  body: CheckValues,
  { warn, ...options }: { autoAssignAlerts?: boolean | undefined; warn: Warn },
): Promise<Check> {
  const { store, vault } = deps
  const id = randomUUID()
  const values = withPingToken(body, randomUUID())
  const explicit = body.alertChannelSubscriptions as ChannelSubscription[] | undefined
  await mapUniqueViolation(uniqueFields, () =>
    transact(store.db, async (tx) => {
      await requireRoomForCheck(tx, account.id, type)
      await requireCheckFeatures(tx, account.id, values)
      refuse([
        ...checkExpressionIssues(values),
        ...(await listMissingCheckReferences(tx, account.id, values)),
      ])
      await insertCheck(tx, vault, { id, accountId: account.id, type, values })
      await subscribeNew(tx, account.id, { checkId: id }, { ...options, explicit })
      await rescheduleCheck(tx, deps.clock, account.id, id)
    }),
  )
  await warnOf(deps, account, { sent: values, after: values }, warn)
  return readBack(deps, account, id)
}

/** After the commit: none of it holds the rows any longer. */
async function warnOf(
  { store, vault }: Deps,
  account: AccountContext,
  { sent, after }: { sent: CheckValues; after: CheckValues },
  warn: Warn,
): Promise<void> {
  await warnOfScripts(sent, warn)
  const isJudged = ['request', 'prompt', 'environmentVariables', 'groupId'].some(
    (name) => sent[name] !== undefined,
  )
  if (!isJudged) return
  const groupId = after.groupId as number | null
  const group = groupId === null ? null : await findGroup(store.db, vault, account.id, groupId)
  await warnOfVariables(store.db, account.id, { check: after, group }, warn)
}

/** `read` gets the stored type and gives the fields that were sent; it throws where they don't fit that type. */
export async function updateCheckOf(
  deps: Deps,
  account: AccountContext,
  id: string,
  read: (type: CheckType) => CheckValues,
  { raw, warn }: { raw: unknown; warn: Warn },
): Promise<Check> {
  const { store, vault, clock } = deps
  const change = await mapUniqueViolation(uniqueFields, () =>
    transact(store.db, async (tx) => {
      const row = orNotFound(await findCheckForUpdate(tx, account.id, id))
      const type = row.check_type as CheckType
      const before = unpackCheck(row)
      const sent = withStoredSecrets(read(type), before)
      const after = { ...before, ...sent }
      refuse([
        ...checkTypes[type].issues(after),
        ...checkExpressionIssues(sent),
        ...(await listMissingCheckReferences(tx, account.id, changedReferences(sent, before))),
      ])
      await requireCheckFeatures(tx, account.id, after, before)
      await updateCheck(tx, row, packCheck(vault, account.id, sent), new Date(clock.now()))
      if (sent.alertChannelSubscriptions !== undefined) {
        const entries = sent.alertChannelSubscriptions as ChannelSubscription[]
        await replaceSubscriptions(tx, account.id, { checkId: id }, entries)
      }
      await rescheduleCheck(tx, clock, account.id, id)
      return { sent, before, after }
    }),
  )
  warnOfRemoved(change.sent, raw, change.before, warn)
  await warnOf(deps, account, change, warn)
  return readBack(deps, account, id)
}

/** A stored path stays usable: only another one is looked up. */
function changedReferences(sent: CheckValues, before: CheckValues): CheckValues {
  if (sent.codeBundlePath !== before.codeBundlePath) return sent
  const { codeBundlePath: _, ...others } = sent
  return others
}

function withStoredSecrets(sent: CheckValues, before: CheckValues): CheckValues {
  const values: Record<string, unknown> = { ...sent }
  if (sent.environmentVariables !== undefined) {
    values.environmentVariables = keepSecrets(sent.environmentVariables, before.environmentVariables)
  }
  return withPingToken(values, (before.heartbeat as { pingToken: string } | undefined)?.pingToken)
}

/** A token that is not sent is a new one's, or stays what it was: people have it in their scripts. */
function withPingToken(values: CheckValues, fallback: string | undefined): CheckValues {
  if (values.heartbeat === undefined) return values
  const heartbeat = values.heartbeat as { pingToken?: string | null }
  return { ...values, heartbeat: { ...heartbeat, pingToken: heartbeat.pingToken ?? fallback } }
}

// choice: a change answers with what a read shows; a secret that was just sent is not echoed.
async function readBack(deps: Deps, account: AccountContext, id: string): Promise<Check> {
  const row = orNotFound(await findCheck(deps.store, account.id, id))
  const [check] = await serializeChecks(deps, account, [row])
  return orNotFound(check ?? null)
}

function refuse(issues: FieldIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues)
}
