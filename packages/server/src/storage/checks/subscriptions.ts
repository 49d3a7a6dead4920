// Subscriptions of alert channels to checks and groups.
import { invalidInput, type Page } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Tables } from '../core/tables.generated.ts'
import { clientOf } from '../core/transaction.ts'
import { lockReferences } from './references.ts'

export type SubscriptionRow = Selectable<Tables['alert_channel_subscriptions']>

type Target = { checkId: string } | { groupId: number }

interface ChannelSubscription {
  alertChannelId: number
  activated: boolean
}

export type TargetSubscription = Target & { activated: boolean }

type Path = readonly (string | number)[]

export interface NewTarget {
  target: Target
  autoAssignAlerts?: boolean | undefined
  explicit: ChannelSubscription[] | undefined
  /** The path of the target, for issues. */
  at?: Path | undefined
}

/**
 * Subscribes channels to new checks or groups: all channels unless the caller disabled that or listed some, and always
 * those with auto_subscribe. Explicit entries take precedence.
 */
export async function subscribeNew(tx: Db, accountId: string, targets: readonly NewTarget[]): Promise<void> {
  // Locked against deletion until the insert below.
  const channels = await tx
    .selectFrom('alert_channels')
    .select(['id', 'auto_subscribe'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forKeyShare()
    .execute()
  refuseUnknownChannels(
    targets.map(({ explicit = [], at }) => ({ entries: explicit, at })),
    new Set(channels.map(({ id }) => id)),
  )
  const rows = targets.flatMap(
    ({ target, explicit, autoAssignAlerts: assignsAll = explicit === undefined }) => {
      const activated = new Map<number, boolean>()
      for (const { id, auto_subscribe } of channels) {
        if (assignsAll || auto_subscribe) activated.set(id, true)
      }
      for (const entry of explicit ?? []) activated.set(entry.alertChannelId, entry.activated)
      return rowsOf(target, activated)
    },
  )
  await upsertAll(tx, accountId, rows)
}

export interface ReplacedTarget {
  target: Target
  entries: ChannelSubscription[]
  at?: Path | undefined
}

/** Sets exactly these. The caller holds the locks on the checks or groups. */
export async function replaceSubscriptions(
  tx: Db,
  accountId: string,
  targets: readonly ReplacedTarget[],
): Promise<void> {
  if (targets.length === 0) return
  const ids = targets.flatMap(({ entries }) => entries.map(({ alertChannelId }) => alertChannelId))
  refuseUnknownChannels(targets, await lockReferences(tx, accountId, 'alert_channels', ids))
  const kept = targets.flatMap(({ target, entries }) =>
    rowsOf(target, new Map(entries.map((entry) => [entry.alertChannelId, entry.activated]))),
  )
  await sql`
    delete from alert_channel_subscriptions where account_id = ${accountId}
      and (check_id = any(${targets.map(({ target }) => checkOf(target))}::uuid[])
        or group_id = any(${targets.map(({ target }) => groupOf(target))}::integer[]))
      and (alert_channel_id, coalesce(check_id::text, group_id::text)) not in (
        select channel_id, coalesce(check_id::text, group_id::text) from unnest(
          ${kept.map(({ channelId }) => channelId)}::integer[],
          ${kept.map(({ target }) => checkOf(target))}::uuid[],
          ${kept.map(({ target }) => groupOf(target))}::integer[]
        ) as kept (channel_id, check_id, group_id)
      )`.execute(tx)
  await upsertAll(tx, accountId, kept)
}

export async function listSubscriptions(
  db: Db,
  accountId: string,
  of: { groupIds: number[] } | { checkIds: string[] } | { channelIds: number[] },
): Promise<SubscriptionRow[]> {
  const all = db
    .selectFrom('alert_channel_subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
  if ('groupIds' in of)
    return of.groupIds.length === 0 ? [] : all.where('group_id', 'in', of.groupIds).execute()
  if ('checkIds' in of)
    return of.checkIds.length === 0 ? [] : all.where('check_id', 'in', of.checkIds).execute()
  return of.channelIds.length === 0 ? [] : all.where('alert_channel_id', 'in', of.channelIds).execute()
}

export type NamedSubscription = Pick<SubscriptionRow, 'id' | 'check_id' | 'group_id' | 'activated'> & {
  name: string
}

/** Those of one channel, by the names of its checks and groups. */
export function listNamedSubscriptions(
  db: Db,
  accountId: string,
  alertChannelId: number,
  { query = '', ...page }: PageRequest & { query?: string | undefined },
): Promise<Page<NamedSubscription>> {
  const name = sql<string>`coalesce(c.name, g.name)`
  const all = db
    .selectFrom('alert_channel_subscriptions as s')
    .leftJoin('checks as c', (join) =>
      join.onRef('c.account_id', '=', 's.account_id').onRef('c.id', '=', 's.check_id'),
    )
    .leftJoin('check_groups as g', (join) =>
      join.onRef('g.account_id', '=', 's.account_id').onRef('g.id', '=', 's.group_id'),
    )
    .where('s.account_id', '=', accountId)
    .where('s.alert_channel_id', '=', alertChannelId)
    .$if(query !== '', (rows) => rows.where(sql<boolean>`position(lower(${query}) in lower(${name})) > 0`))
  const rows = all
    .select(['s.id', 's.check_id', 's.group_id', 's.activated', name.as('name')])
    .orderBy(sql`s.group_id is null`)
    .orderBy(name)
    .orderBy('s.id')
  return pageOf(rows, all.select(countAll), page)
}

export async function deleteSubscription(
  db: Db,
  accountId: string,
  alertChannelId: number,
  id: number,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('alert_channel_subscriptions')
    .where('account_id', '=', accountId)
    .where('alert_channel_id', '=', alertChannelId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0
}

/** Adds or changes one; null if the account doesn't have this check or group. The channel must exist. */
export async function upsertSubscription(
  tx: Db,
  accountId: string,
  alertChannelId: number,
  { activated, ...target }: TargetSubscription,
): Promise<SubscriptionRow | null> {
  if ((await lockTargets(tx, accountId, [target])).size === 0) return null
  const [row] = await upsertAll(tx, accountId, rowsOf(target, new Map([[alertChannelId, activated]])))
  return row ?? null
}

/** Sets exactly these for one channel. The caller holds the lock on the channel. */
export async function replaceChannelSubscriptions(
  tx: Db,
  accountId: string,
  alertChannelId: number,
  entries: TargetSubscription[],
): Promise<void> {
  const known = await lockTargets(tx, accountId, entries)
  const issues = entries.flatMap((entry, index) => {
    const field = 'checkId' in entry ? 'checkId' : 'groupId'
    return known.has(targetKey(entry))
      ? []
      : [{ path: ['subscriptions', index, field], message: 'does not exist' }]
  })
  if (issues.length > 0) throw invalidInput(issues)
  await tx
    .deleteFrom('alert_channel_subscriptions')
    .where('account_id', '=', accountId)
    .where('alert_channel_id', '=', alertChannelId)
    .execute()
  const unique = [...new Map(entries.map((entry) => [targetKey(entry), entry])).values()]
  // One statement: the channel shows them in the order of the request.
  await insertSubscriptions(
    clientOf(tx),
    unique.map(({ activated, ...target }) => ({ accountId, target, channelId: alertChannelId, activated })),
  )
}

function refuseUnknownChannels(
  targets: readonly { entries: ChannelSubscription[]; at?: Path | undefined }[],
  known: ReadonlySet<number>,
): void {
  const issues = targets.flatMap(({ entries, at = [] }) =>
    entries.flatMap(({ alertChannelId }, index) => {
      const path = [...at, 'alertChannelSubscriptions', index, 'alertChannelId']
      return known.has(alertChannelId) ? [] : [{ path, message: 'does not exist' }]
    }),
  )
  if (issues.length > 0) throw invalidInput(issues)
}

export interface Subscription {
  target: Target
  channelId: number
  activated: boolean
}

/** Adds or changes those of many channels and targets, which must exist. Their ids, in order. */
export async function subscribeAll(
  tx: Db,
  accountId: string,
  subscriptions: readonly Subscription[],
): Promise<number[]> {
  const key = (channelId: number, target: Target) => `${channelId} ${targetKey(target)}`
  const unique = new Map(
    subscriptions.map((subscription) => [key(subscription.channelId, subscription.target), subscription]),
  )
  const rows = await upsertAll(tx, accountId, [...unique.values()])
  const ids = new Map(
    rows.map((row) => {
      const target = row.check_id === null ? { groupId: row.group_id ?? 0 } : { checkId: row.check_id }
      return [key(row.alert_channel_id, target), row.id]
    }),
  )
  return subscriptions.map(({ channelId, target }) => ids.get(key(channelId, target)) ?? 0)
}

export async function deleteSubscriptions(tx: Db, accountId: string, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('alert_channel_subscriptions')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .execute()
}

function rowsOf(target: Target, activated: ReadonlyMap<number, boolean>): Subscription[] {
  return [...activated].map(([channelId, isActive]) => ({ target, channelId, activated: isActive }))
}

const checkOf = (target: Target) => ('checkId' in target ? target.checkId : null)
const groupOf = (target: Target) => ('groupId' in target ? target.groupId : null)

const column = columnKinds<Subscription & { accountId: string }>()

const columns = {
  account_id: column.uuid((row) => row.accountId),
  alert_channel_id: column.integer((row) => row.channelId),
  check_id: column.uuid((row) => checkOf(row.target)),
  group_id: column.integer((row) => groupOf(row.target)),
  activated: column.boolean((row) => row.activated),
}

const insertSubscriptions = insertMany('subscribe_channel', 'alert_channel_subscriptions', columns)

const upsert = (name: string, target: 'check_id' | 'group_id') =>
  insertMany(name, 'alert_channel_subscriptions', columns, {
    onConflict: `(alert_channel_id, ${target}) do update set activated = excluded.activated`,
    returning: '*',
  })

const upsertOfChecks = upsert('subscribe_to_checks', 'check_id')
const upsertOfGroups = upsert('subscribe_to_groups', 'group_id')

async function upsertAll(
  tx: Db,
  accountId: string,
  subscriptions: readonly Subscription[],
): Promise<SubscriptionRow[]> {
  const client = clientOf(tx)
  const rows = subscriptions.map((subscription) => ({ ...subscription, accountId }))
  const [ofChecks, ofGroups] = [
    rows.filter(({ target }) => 'checkId' in target),
    rows.filter(({ target }) => 'groupId' in target),
  ]
  return [
    ...(await upsertOfChecks<SubscriptionRow>(client, ofChecks)),
    ...(await upsertOfGroups<SubscriptionRow>(client, ofGroups)),
  ]
}

/** Locks the targets before any row is written, in the same order as an update of a check. */
async function lockTargets(tx: Db, accountId: string, targets: Target[]): Promise<Set<string>> {
  const checkIds = targets.flatMap((target) => ('checkId' in target ? [target.checkId] : []))
  const groupIds = targets.flatMap((target) => ('groupId' in target ? [target.groupId] : []))
  const groups = await lockReferences(tx, accountId, 'check_groups', groupIds)
  const checks = await lockReferences(tx, accountId, 'checks', checkIds)
  return new Set([
    ...[...groups].map((groupId) => targetKey({ groupId })),
    ...[...checks].map((checkId) => targetKey({ checkId })),
  ])
}

function targetKey(target: Target): string {
  return 'checkId' in target ? `check ${target.checkId.toLowerCase()}` : `group ${target.groupId}`
}
