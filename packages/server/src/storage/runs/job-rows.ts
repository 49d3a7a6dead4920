// The data of jobs, for a batch of checks of any accounts: a few statements, whatever its size.
// Crosses accounts on purpose: it serves the queue, not a caller. Data of one check is grouped by account.
import type { Selectable } from 'kysely'
import { listOpenScripts, type OpenScript } from '../checks/agentic-scripts.ts'
import { openGroup, type StoredGroup } from '../checks/check-groups.ts'
import type { CheckColumns } from '../checks/check-settings.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { unsealDeep, type Vault } from '../core/vault.ts'
import { type OpenDraft, readDrafts } from './drafts.ts'

export interface JobRows {
  checks: Map<string, CheckColumns & { dependencies: unknown }>
  drafts: Map<string, OpenDraft>
  groups: Map<number, StoredGroup>
  /** By account. */
  variables: Map<string, JobVariable[]>
  certificates: Map<string, JobCertificateRow[]>
  snippets: Map<string, Pick<Selectable<Tables['snippets']>, 'id' | 'name' | 'script'>[]>
  runtimeIds: Map<string, string>
  /** By the id of the private location. */
  proxyUrls: Map<string, string | null>
  /** By check. */
  agenticScripts: Map<string, OpenScript[]>
}

export interface JobVariable {
  key: string
  value: string
  locked: boolean
  secret: boolean
}

interface JobCertificateRow {
  host: string
  cert: string
  ca: string | null
  key: string
  passphrase: string | null
}

export async function readJobRows(
  db: Db,
  vault: Vault,
  wanted: readonly { checkId: string; draftId: string | null; accountId: string; queue: string }[],
): Promise<JobRows> {
  const checkIds = [...new Set(wanted.map(({ checkId }) => checkId))]
  const accountIds = [...new Set(wanted.map(({ accountId }) => accountId))]
  const draftIds = [...new Set(wanted.flatMap(({ draftId }) => draftId ?? []))]
  const [checks, drafts, variables, certificates, snippets, accounts, locations] = await Promise.all([
    db.selectFrom('checks').selectAll().where('id', 'in', checkIds).execute(),
    readDrafts(db, vault, draftIds),
    db.selectFrom('variables').selectAll().where('account_id', 'in', accountIds).execute(),
    db
      .selectFrom('client_certificates')
      .selectAll()
      .where('account_id', 'in', accountIds)
      .orderBy('created_at', 'desc')
      .execute(),
    db
      .selectFrom('snippets')
      .select(['id', 'account_id', 'name', 'script'])
      .where('account_id', 'in', accountIds)
      .execute(),
    db.selectFrom('accounts').select(['id', 'runtime_id']).where('id', 'in', accountIds).execute(),
    listProxies(db, wanted),
  ])
  const scripts = await listOpenScripts(db, [
    ...checks.filter(({ check_type }) => check_type === 'AGENTIC').map(({ id }) => id),
    ...[...drafts.values()].flatMap(({ checkType, checkId }) =>
      checkType === 'AGENTIC' && checkId !== null ? [checkId] : [],
    ),
  ])
  const groupIds = [
    ...new Set([
      ...checks.flatMap(({ group_id }) => group_id ?? []),
      ...[...drafts.values()].flatMap(({ values: { groupId } }) =>
        typeof groupId === 'number' ? [groupId] : [],
      ),
    ]),
  ]
  const groups =
    groupIds.length === 0
      ? []
      : await db.selectFrom('check_groups').selectAll().where('id', 'in', groupIds).execute()
  return {
    checks: new Map(checks.map((row) => [row.id, row])),
    drafts,
    groups: new Map(groups.map((row) => [row.id, openGroup(vault, row)])),
    variables: byAccount(variables, ({ key, value, locked, secret, account_id }) => ({
      key,
      value: unsealDeep(vault, account_id, value),
      locked,
      secret,
    })),
    certificates: byAccount(certificates, (row) => ({
      id: row.id,
      host: row.host,
      cert: row.cert,
      ca: row.ca,
      key: unsealDeep(vault, row.account_id, row.private_key) ?? '',
      passphrase: unsealDeep(vault, row.account_id, row.passphrase),
    })),
    snippets: byAccount(snippets, ({ id, name, script }) => ({ id, name, script })),
    runtimeIds: new Map(accounts.map(({ id, runtime_id }) => [id, runtime_id])),
    proxyUrls: new Map(
      locations.map(({ id, account_id, proxy_url }) => [id, unsealDeep(vault, account_id, proxy_url)]),
    ),
    agenticScripts: Map.groupBy(scripts, ({ check_id }) => check_id),
  }
}

/** Regions have no proxy: only ids of private locations are looked up. */
async function listProxies(db: Db, wanted: readonly { queue: string }[]) {
  const ids = [...new Set(wanted.map(({ queue }) => queue.slice(0, 36)))].filter((id) =>
    /^[0-9a-f-]{36}$/.test(id),
  )
  if (ids.length === 0) return []
  return db
    .selectFrom('private_locations')
    .select(['id', 'account_id', 'proxy_url'])
    .where('id', 'in', ids)
    .execute()
}

function byAccount<R extends { account_id: string }, T>(rows: R[], map: (row: R) => T): Map<string, T[]> {
  const result = new Map<string, T[]>()
  for (const [accountId, all] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    result.set(accountId, all.map(map))
  }
  return result
}
