// Alarms about locations in which checks don't run: at most one open per account, location and kind.
import { randomUUID } from 'node:crypto'
import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

type LocationAlarmKind = 'no_agent' | 'overdue' | 'unknown_checks'

/** Checks that don't run in a location. */
export interface IdleLocation {
  accountId: string
  /** A region, or the id of a private location. */
  locationKey: string
  kind: LocationAlarmKind
  location: string
  checkCount: number
  /** The names of the first ten. */
  checks: string[]
  /** Types of these checks that no agent there runs; empty if there is no agent. */
  unservedTypes: string[]
  /** The first of these checks. */
  leadCheckId: string
  leadCheckType: string
  /** Long enough to open an alarm. Until then it only keeps an open one from being resolved. */
  isDue: boolean
}

export interface OpenAlarm {
  id: string
  accountId: string
  locationKey: string
  kind: LocationAlarmKind
  location: string
  checkCount: number
  checks: string[]
  unservedTypes: string[]
  openedAt: string
}

/** The facts of a mail about an alarm. */
export interface LocationAlarmFacts {
  alarmId: string
  kind: LocationAlarmKind
  location: string
  locationName: string
  isPrivate: boolean
  account: string
  checkCount: number
  checks: string[]
  /** Absent in mails of earlier releases. */
  unservedTypes?: string[]
  openedAt: string
  resolvedAt: string | null
  /** Why it is over: it is served again, or nothing is to run there any more. */
  end: 'served' | 'unassigned' | null
}

const lockKey = 727_013

/** Locked until the transaction ends; false: another server has the lock. */
export async function lockLocationAlarms(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    lockKey,
  ])
  return rows[0]?.locked === true
}

const openColumns = `id, account_id as "accountId", queue as "locationKey", kind, location, check_count as "checkCount",
  facts -> 'checks' as checks, coalesce(facts -> 'unservedTypes', '[]') as "unservedTypes", opened_at as "openedAt"`

export async function listOpenAlarms(client: Client): Promise<OpenAlarm[]> {
  const { rows } = await client.query<OpenAlarm & Record<string, unknown>>(
    `select ${openColumns} from location_alarms
     where resolved_at is null and kind <> 'unknown_checks' order by id`,
  )
  return rows
}

/** Null if there is an open one. */
export async function insertAlarm(
  client: Client,
  alarm: Omit<OpenAlarm, 'id' | 'openedAt'>,
  now: number,
): Promise<OpenAlarm | null> {
  const { accountId, locationKey, location, kind, checkCount, checks, unservedTypes } = alarm
  const facts = JSON.stringify({ checks, unservedTypes })
  const { rows } = await client.query<OpenAlarm & Record<string, unknown>>(
    `insert into location_alarms (id, account_id, queue, location, kind, check_count, facts, opened_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account_id, queue, kind) where resolved_at is null do nothing returning ${openColumns}`,
    [randomUUID(), accountId, locationKey, location, kind, checkCount, facts, new Date(now)],
  )
  return rows[0] ?? null
}

/** An open alarm describes the current situation. */
export async function updateAlarm(
  client: Client,
  id: string,
  { checkCount, checks, unservedTypes }: Pick<IdleLocation, 'checkCount' | 'checks' | 'unservedTypes'>,
): Promise<void> {
  await client.query('update location_alarms set check_count = $2, facts = $3 where id = $1', [
    id,
    checkCount,
    JSON.stringify({ checks, unservedTypes }),
  ])
}

/** False: it was already resolved. */
export async function resolveAlarm(client: Client, id: string, now: number): Promise<boolean> {
  const { rows } = await client.query(
    'update location_alarms set resolved_at = $2 where id = $1 and resolved_at is null returning id',
    [id, new Date(now)],
  )
  return rows.length === 1
}

export type LocationAlarmRow = Pick<
  Selectable<Tables['location_alarms']>,
  'id' | 'location' | 'kind' | 'cause' | 'check_ids' | 'check_count' | 'facts' | 'opened_at' | 'resolved_at'
>

/** The latest first; open ones before all others. */
const listedColumns = [
  'id',
  'location',
  'kind',
  'cause',
  'check_ids',
  'check_count',
  'facts',
  'opened_at',
  'resolved_at',
] as const

export function listLocationAlarms(
  db: Db,
  accountId: string,
  page: PageRequest,
): Promise<Page<LocationAlarmRow>> {
  const all = db.selectFrom('location_alarms').where('account_id', '=', accountId)
  const rows = all
    .select(listedColumns)
    .orderBy((of) => of('resolved_at', 'is not', null))
    .orderBy('opened_at', 'desc')
    .orderBy('id')
  return pageOf(rows, all.select(countAll), page)
}

/** Of one location, the latest first. */
export function listLocationAlarmsOf(
  db: Db,
  accountId: string,
  location: string,
  limit: number,
): Promise<LocationAlarmRow[]> {
  return db
    .selectFrom('location_alarms')
    .select(listedColumns)
    .where('account_id', '=', accountId)
    .where('location', '=', location)
    .orderBy('opened_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}
