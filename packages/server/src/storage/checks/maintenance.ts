// Which maintenance windows apply to which checks. Pausing and silencing are independent: a window that pauses checks
// silences their alerts only if it's set to do both.
import {
  isActive,
  mergeOccurrences,
  type Occurrence,
  openTimes,
  type RepeatingPeriod,
} from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'

/** The key of a check, and the account of its windows and tags. */
export interface CheckKey {
  accountId: string
  checkId: string
}

/** Whether the account has windows that pause checks: if not, they need not be read. `accountId`: an SQL expression. */
export const hasPauses = (accountId: string) => `exists (
    select from maintenance_windows w where w.account_id = ${accountId} and (w.pause_all_checks or w.tags <> '{}'))`

/** The ids among `checks` that are paused at that instant. */
export function listPausedChecks(
  client: Client,
  checks: readonly CheckKey[],
  at: number,
): Promise<Set<string>> {
  return checksInScope(client, 'pause', checks, at)
}

/** The ids among `checks` whose alerts are silent at that instant. */
export function listSilencedChecks(
  client: Client,
  checks: readonly CheckKey[],
  at: number,
): Promise<Set<string>> {
  return checksInScope(client, 'silence', checks, at)
}

/** The times within [from, to) in which alerts of a check are silenced, without overlaps; checks without any are absent. */
export async function listSilences(
  client: Client,
  checks: readonly CheckKey[],
  from: number,
  to: number,
): Promise<Map<string, Occurrence[]>> {
  const byAccount = await readWindows(client, 'silence', checks, from, to)
  const timesOfOne = memoize((window: RepeatingPeriod) => openTimes(window, from, to))
  const timesOf = memoize((windows: RepeatingPeriod[]) => mergeOccurrences(windows.flatMap(timesOfOne)))
  const result = new Map<string, Occurrence[]>()
  for (const { checkId, applying } of await match(client, checks, byAccount)) {
    const [times = [], ...more] = applying.map(timesOf)
    const all = more.length === 0 ? times : mergeOccurrences([times, ...more].flat())
    if (all.length > 0) result.set(checkId, all)
  }
  return result
}

/** The windows that pause these checks at some time within [from, to), by check. */
export async function listPausingWindows(
  client: Client,
  checks: readonly CheckKey[],
  from: number,
  to: number,
): Promise<Map<string, RepeatingPeriod[]>> {
  const byAccount = await readWindows(client, 'pause', checks, from, to)
  const matched = await match(client, checks, byAccount)
  return new Map(matched.map(({ checkId, applying }) => [checkId, [...new Set(applying.flat())]]))
}

export interface AccountWindows {
  all: RepeatingPeriod[]
  /** Those that pause a check with these tags, its group's included. */
  windowsOf(tags: readonly string[]): RepeatingPeriod[]
}

/** The windows of an account that pause checks at some time within [from, to). */
export async function readPausingWindows(
  client: Client,
  accountId: string,
  from: number,
  to: number,
): Promise<AccountWindows> {
  const windows = (await readWindows(client, 'pause', [{ accountId }], from, to)).get(accountId)
  if (windows === undefined) return { all: [], windowsOf: () => [] }
  const { forAll, byTag } = windows
  return {
    all: [...new Set([forAll, ...byTag.values()].flat())],
    windowsOf: (tags) => [...new Set([...forAll, ...tags.flatMap((tag) => byTag.get(tag) ?? [])])],
  }
}

async function checksInScope(
  client: Client,
  scope: Scope,
  checks: readonly CheckKey[],
  at: number,
): Promise<Set<string>> {
  const byAccount = await readWindows(client, scope, checks, at, at + 1, (window) => isActive(window, at))
  const covered = new Set<string>()
  const byTag = checks.filter(({ accountId, checkId }) => {
    const windows = byAccount.get(accountId)
    if (windows === undefined || windows.forAll.length === 0) return windows !== undefined
    covered.add(checkId)
    return false
  })
  for (const { checkId } of await match(client, byTag, byAccount)) covered.add(checkId)
  return covered
}

type Scope = 'pause' | 'silence'

const columns = {
  pause: { isForAll: 'pause_all_checks', tags: 'tags' },
  silence: { isForAll: 'silence_all_alerts', tags: 'silence_alerts_tags' },
} as const

/** The windows of an account in one scope. */
interface ScopedWindows {
  forAll: RepeatingPeriod[]
  byTag: Map<string, RepeatingPeriod[]>
}

interface WindowRow extends RepeatingPeriod {
  accountId: string
  isForAll: boolean
  tags: string[]
}

/** Windows of the accounts that may be open within [from, to); accounts without any are absent. */
async function readWindows(
  client: Client,
  scope: Scope,
  checks: readonly Pick<CheckKey, 'accountId'>[],
  from: number,
  to: number,
  isWanted: (window: RepeatingPeriod) => boolean = () => true,
): Promise<Map<string, ScopedWindows>> {
  if (checks.length === 0) return new Map()
  const { isForAll, tags } = columns[scope]
  const { rows } = await client.query<WindowRow>({
    name: `windows_to_${scope}`,
    text: `
      select account_id as "accountId", ${isForAll} as "isForAll", ${tags} as tags, starts_at as "startsAt",
        ends_at as "endsAt", repeat_interval as "repeatInterval", repeat_unit as "repeatUnit",
        repeat_ends_at as "repeatEndsAt", timezone
      from maintenance_windows
      where account_id = any($1::uuid[]) and (${isForAll} or ${tags} <> '{}')
        and starts_at < to_timestamp($3 / 1000.0)
        and (ends_at > to_timestamp($2 / 1000.0) or (repeat_interval is not null and repeat_unit is not null
          and (repeat_ends_at is null or ends_at - starts_at > to_timestamp($2 / 1000.0) - repeat_ends_at)))`,
    values: [[...new Set(checks.map(({ accountId }) => accountId))], from, to],
  })
  const byAccount = new Map<string, ScopedWindows>()
  for (const window of rows.filter(isWanted)) {
    const windows: ScopedWindows = byAccount.get(window.accountId) ?? { forAll: [], byTag: new Map() }
    byAccount.set(window.accountId, windows)
    if (window.isForAll) windows.forAll.push(window)
    else for (const tag of new Set(window.tags)) listAt(windows.byTag, tag).push(window)
  }
  return byAccount
}

function listAt(lists: Map<string, RepeatingPeriod[]>, key: string): RepeatingPeriod[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** The checks to which windows apply, with lists of these windows: one for all checks, one per tag. */
async function match(
  client: Client,
  checks: readonly CheckKey[],
  byAccount: ReadonlyMap<string, ScopedWindows>,
): Promise<{ checkId: string; applying: RepeatingPeriod[][] }[]> {
  const tagsOf = await readTags(
    client,
    checks.filter(({ accountId }) => (byAccount.get(accountId)?.byTag.size ?? 0) > 0),
  )
  return checks.flatMap(({ accountId, checkId }) => {
    const windows = byAccount.get(accountId)
    if (windows === undefined) return []
    const { forAll, byTag } = windows
    const tagged = [...new Set(tagsOf.get(checkId))].map((tag) => byTag.get(tag) ?? [])
    const applying = [forAll, ...tagged].filter((windows) => windows.length > 0)
    return applying.length === 0 ? [] : [{ checkId, applying }]
  })
}

/** Checks also have the tags of their group. */
async function readTags(client: Client, checks: readonly CheckKey[]): Promise<Map<string, string[]>> {
  if (checks.length === 0) return new Map()
  const { rows } = await client.query<{ id: string; tags: string[] }>({
    name: 'tags_of_checks',
    text: `
      select c.id, c.tags || coalesce(g.tags, '{}') as tags
      from unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
      join checks c on c.account_id = asked.account_id and c.id = asked.check_id
      left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`,
    values: [checks.map(({ accountId }) => accountId), checks.map(({ checkId }) => checkId)],
  })
  return new Map(rows.map(({ id, tags }) => [id, tags]))
}

/** Caches results, since many checks share the same windows. */
function memoize<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? work(key)
    known.set(key, value)
    return value
  }
}
