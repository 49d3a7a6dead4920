import { ApiError, type CheckGroupValues, type Page } from '@vedette/contracts'
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, isForeignKeyViolation, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { unsealDeep, type Vault } from '../core/vault.ts'

/** A group with its secrets unsealed, without its subscriptions. */
export interface StoredGroup extends Omit<CheckGroupValues, 'alertChannelSubscriptions' | 'mutedUntil'> {
  mutedUntil: string | null
  id: number
  created_at: string
  updated_at: string | null
}

type GroupColumns = Omit<CheckGroupValues, 'alertChannelSubscriptions'>

const rows = accountRows('check_groups')

interface GroupFilter {
  tag?: string[] | undefined
  name?: string[] | undefined
}

export async function listGroups(
  db: Db,
  vault: Vault,
  accountId: string,
  { tag = [], name = [], ...page }: PageRequest & GroupFilter,
): Promise<Page<StoredGroup>> {
  let all = db.selectFrom('check_groups').where('account_id', '=', accountId)
  if (tag.length > 0) all = all.where(sql<SqlBool>`tags && ${tag}::text[]`)
  // A single query parameter was split at commas, which a name may contain.
  if (name.length > 0) all = all.where('name', 'in', [...name, name.join(',')])
  const { items, total } = await pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
  return { items: items.map((row) => openGroup(vault, row)), total }
}

export async function listGroupsById(
  db: Db,
  vault: Vault,
  accountId: string,
  ids: number[],
): Promise<StoredGroup[]> {
  if (ids.length === 0) return []
  const groups = await db
    .selectFrom('check_groups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return groups.map((row) => openGroup(vault, row))
}

export async function countGroups(db: Db, accountId: string): Promise<number> {
  const all = db.selectFrom('check_groups').where('account_id', '=', accountId)
  return (await all.select(countAll).executeTakeFirstOrThrow()).total
}

export async function findGroup(
  db: Db,
  vault: Vault,
  accountId: string,
  id: number,
): Promise<StoredGroup | null> {
  const row = await rows.find(db, accountId, id)
  return row && openGroup(vault, row)
}

/** For an update that reads before it writes: locked until the transaction ends. */
export async function findGroupForUpdate(
  tx: Db,
  vault: Vault,
  accountId: string,
  id: number,
): Promise<StoredGroup | null> {
  const row = await tx
    .selectFrom('check_groups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row === undefined ? null : openGroup(vault, row)
}

export async function insertGroup(
  db: Db,
  vault: Vault,
  accountId: string,
  values: GroupColumns,
): Promise<StoredGroup> {
  const sealed = sealGroup(vault, accountId, values)
  return openGroup(vault, await rows.insert(db, { account_id: accountId, ...sealed }))
}

export async function updateGroup(
  tx: Db,
  vault: Vault,
  accountId: string,
  id: number,
  values: GroupColumns & { updated_at: Date; isActivationChanged: boolean },
): Promise<StoredGroup | null> {
  const sealed = sealGroup(vault, accountId, values)
  const { updated_at, isActivationChanged } = values
  const row = await rows.update(tx, accountId, id, {
    ...sealed,
    updated_at,
    ...(isActivationChanged && { activation_changed_at: updated_at }),
  })
  return row && openGroup(vault, row)
}

export async function deleteGroup(db: Db, accountId: string, id: number): Promise<boolean> {
  try {
    return await rows.delete(db, accountId, id)
  } catch (error) {
    if (isForeignKeyViolation(error)) {
      throw new ApiError('in_use', { message: 'The group still has checks.' })
    }
    throw error
  }
}

function sealGroup(
  vault: Vault,
  accountId: string,
  values: GroupColumns,
): Omit<Insertable<Tables['check_groups']>, 'account_id'> {
  return {
    name: values.name,
    activated: values.activated,
    muted: values.muted,
    muted_until: values.mutedUntil ?? null,
    tags: values.tags,
    locations: values.locations,
    private_locations: values.privateLocations,
    concurrency: values.concurrency,
    run_parallel: values.runParallel,
    runtime_id: values.runtimeId,
    double_check: values.doubleCheck,
    use_global_alert_settings: values.useGlobalAlertSettings,
    alert_settings: jsonOrNull(values.alertSettings),
    retry_strategy: jsonOrNull(values.retryStrategy),
    setup_snippet_id: values.setupSnippetId,
    tear_down_snippet_id: values.tearDownSnippetId,
    settings: JSON.stringify(sealSettings(vault, accountId, values)),
  }
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

function sealSettings(vault: Vault, accountId: string, values: GroupColumns): object {
  const { apiCheckDefaults: defaults, environmentVariables } = values
  const seal = (text: string) => vault.seal(accountId, text)
  const sealLocked = <T extends { value: string; locked: boolean }>(entry: T) =>
    entry.locked ? { ...entry, value: seal(entry.value) } : entry
  return {
    apiCheckDefaults: {
      ...defaults,
      headers: defaults.headers.map(sealLocked),
      queryParameters: defaults.queryParameters.map(sealLocked),
      basicAuth:
        defaults.basicAuth === null
          ? null
          : { ...defaults.basicAuth, password: seal(defaults.basicAuth.password) },
    },
    environmentVariables:
      environmentVariables?.map((entry) =>
        entry.secret || entry.locked ? { ...entry, value: seal(entry.value ?? '') } : entry,
      ) ?? null,
    browserCheckDefaults: values.browserCheckDefaults,
    localSetupScript: values.localSetupScript,
    localTearDownScript: values.localTearDownScript,
  }
}

export function openGroup(vault: Vault, row: Selectable<Tables['check_groups']>): StoredGroup {
  return {
    id: row.id,
    name: row.name,
    activated: row.activated,
    muted: row.muted,
    mutedUntil: row.muted_until,
    tags: row.tags,
    locations: row.locations,
    privateLocations: row.private_locations,
    concurrency: row.concurrency,
    runParallel: row.run_parallel,
    runtimeId: row.runtime_id,
    doubleCheck: row.double_check,
    useGlobalAlertSettings: row.use_global_alert_settings,
    alertSettings: row.alert_settings,
    retryStrategy: row.retry_strategy,
    setupSnippetId: row.setup_snippet_id,
    tearDownSnippetId: row.tear_down_snippet_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...unsealDeep(vault, row.account_id, row.settings),
  }
}
