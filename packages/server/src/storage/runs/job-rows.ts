// The data of jobs, for a batch of checks of any accounts: a few statements, whatever its size.
// Crosses accounts on purpose: it serves the queue, not a caller. Data of one check is grouped by account.
import type { Selectable } from 'kysely'
import { listOpenScripts, type OpenScript } from '../checks/agentic-scripts.ts'
import { openGroup, type StoredGroup } from '../checks/check-groups.ts'
import type { CheckColumns } from '../checks/check-settings.ts'
import type { Db, Store } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { type Sealed, unsealDeep, type Vault } from '../core/vault.ts'
import { type OpenDraft, readDrafts } from './drafts.ts'

export interface JobRows {
  checks: Map<string, CheckColumns & { dependencies: unknown }>
  drafts: Map<string, OpenDraft>
  groups: Map<number, StoredGroup>
  /** By account. */
  variables: Map<string, JobVariable[]>
  certificates: Map<string, JobCertificateRow[]>
  snippets: Map<string, JobSnippet[]>
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

type JobSnippet = Pick<Selectable<Tables['snippets']>, 'id' | 'name' | 'script'>

interface JobCertificateRow {
  host: string
  cert: string
  ca: string | null
  key: string
  passphrase: string | null
}

/** One after the other: at the same time, each would have a connection and a backend of 10 MB. */
export async function readJobRows(
  { db, pool }: Pick<Store, 'db' | 'pool'>,
  vault: Vault,
  wanted: readonly { checkId: string; draftId: string | null; accountId: string; queue: string }[],
): Promise<JobRows> {
  const unique = (ids: readonly string[]) => [...new Set(ids)]
  const checkIds = unique(wanted.map(({ checkId }) => checkId))
  const checks = await db.selectFrom('checks').selectAll().where('id', 'in', checkIds).execute()
  const { rows: accounts } = await pool.query<AccountOfJobs>({
    name: 'accounts_of_jobs',
    text: accountsText,
    values: [unique(wanted.map(({ accountId }) => accountId))],
  })
  const drafts = await readDrafts(db, vault, unique(wanted.flatMap(({ draftId }) => draftId ?? [])))
  const ofDrafts = [...drafts.values()]
  const groupIds = new Set([
    ...checks.flatMap(({ group_id }) => group_id ?? []),
    ...ofDrafts.flatMap(({ values: { groupId } }) => (typeof groupId === 'number' ? [groupId] : [])),
  ])
  const groups =
    groupIds.size === 0
      ? []
      : await db
          .selectFrom('check_groups')
          .selectAll()
          .where('id', 'in', [...groupIds])
          .execute()
  const scripts = await listOpenScripts(db, [
    ...checks.filter(({ check_type }) => check_type === 'AGENTIC').map(({ id }) => id),
    ...ofDrafts.flatMap(({ checkType, checkId }) => (checkType === 'AGENTIC' ? (checkId ?? []) : [])),
  ])
  const byAccount = <T>(read: (account: AccountOfJobs) => T) =>
    new Map(accounts.map((account) => [account.id, read(account)]))
  return {
    checks: new Map(checks.map((row) => [row.id, row])),
    drafts,
    groups: new Map(groups.map((row) => [row.id, openGroup(vault, row)])),
    variables: byAccount(({ id, variables }) => unsealDeep(vault, id, variables)),
    certificates: byAccount(({ id, certificates }) =>
      unsealDeep(vault, id, certificates).map((row) => ({ ...row, key: row.key ?? '' })),
    ),
    snippets: byAccount(({ snippets }) => snippets),
    runtimeIds: byAccount(({ runtimeId }) => runtimeId),
    proxyUrls: new Map(
      (await listProxies(db, wanted)).map(({ id, account_id, proxy_url }) => [
        id,
        unsealDeep(vault, account_id, proxy_url),
      ]),
    ),
    agenticScripts: Map.groupBy(scripts, ({ check_id }) => check_id),
  }
}

interface AccountOfJobs {
  id: string
  runtimeId: string
  variables: (Omit<JobVariable, 'value'> & { value: string | Sealed })[]
  certificates: (Pick<JobCertificateRow, 'host' | 'cert' | 'ca'> & {
    id: string
    key: Sealed | null
    passphrase: Sealed | null
  })[]
  snippets: JobSnippet[]
}

const accountsText = `
  select a.id, a.runtime_id as "runtimeId",
    (select coalesce(json_agg(json_build_object('key', v.key, 'value', v.value, 'locked', v.locked, 'secret', v.secret)), '[]')
      from variables v where v.account_id = a.id) as variables,
    (select coalesce(json_agg(json_build_object('id', c.id, 'host', c.host, 'cert', c.cert, 'ca', c.ca, 'key', c.private_key,
        'passphrase', c.passphrase) order by c.created_at desc), '[]')
      from client_certificates c where c.account_id = a.id) as certificates,
    (select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'script', s.script)), '[]')
      from snippets s where s.account_id = a.id) as snippets
  from accounts a where a.id = any($1::uuid[])`

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
