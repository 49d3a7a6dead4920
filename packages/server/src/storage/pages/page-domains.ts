// Domains of customers. Each belongs to one page of all accounts.
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type PageDomainRow = Selectable<Tables['page_domains']>

/** The page that has a domain. */
export type PageReference = { dashboard_id: number } | { status_page_id: string }

/** False: another page has the domain. Other domains of the page are released; null releases all. */
export async function claimPageDomain(
  tx: Db,
  accountId: string,
  page: PageReference,
  domain: string | null,
  now: number,
): Promise<boolean> {
  const isOfPage = (where: ExpressionBuilder<Tables, 'page_domains'>) =>
    where.and({ account_id: accountId, ...page })
  await tx
    .deleteFrom('page_domains')
    .where(isOfPage)
    .where('domain', '<>', domain ?? '')
    .execute()
  if (domain === null) return true
  // Waits for a transaction that claims the same domain.
  await tx
    .insertInto('page_domains')
    .values({ domain, account_id: accountId, ...page, check_at: new Date(now) })
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .execute()
  const own = await tx
    .selectFrom('page_domains')
    .select('domain')
    .where(isOfPage)
    .where('domain', '=', domain)
    .executeTakeFirst()
  return own !== undefined
}

export async function listDomainsOfAccount(
  db: Db,
  accountId: string,
  domains: readonly string[],
): Promise<PageDomainRow[]> {
  if (domains.length === 0) return []
  return db
    .selectFrom('page_domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain', 'in', domains)
    .execute()
}

/** With one account, all pages belong to the operator. */
export async function hasSeveralAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom('accounts').select('id').limit(2).execute()).length > 1
}

/** A claim expires: domains of a killed server are looked up by another one. */
export async function claimDueDomains(
  db: Db,
  { now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
): Promise<PageDomainRow[]> {
  return db
    .updateTable('page_domains')
    .set({ check_at: new Date(now + leaseMs) })
    .where('domain', 'in', (query) =>
      query
        .selectFrom('page_domains')
        .select('domain')
        .where('check_at', '<=', new Date(now).toISOString())
        .orderBy('check_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

export interface DomainCheck {
  check_at: Date
  proven_at: Date | string | null
  missing_since: Date | string | null
  problem: string | null
}

/** Only for the row that was looked up: its domain may have moved to another account meanwhile. */
export async function recordDomainCheck(
  db: Db,
  { domain, account_id, check_at }: PageDomainRow,
  outcome: DomainCheck,
): Promise<void> {
  await db
    .updateTable('page_domains')
    .set(outcome)
    .where('domain', '=', domain)
    .where('account_id', '=', account_id)
    .where('check_at', '=', check_at)
    .execute()
}

export interface PageHost {
  domain: string
  isProven: boolean
  /** Of the page in its addresses: it never changes, unlike the page's own name. */
  address: string
}

export async function listPageHosts(db: Db): Promise<PageHost[]> {
  const rows = await db
    .selectFrom('page_domains as d')
    .leftJoin('dashboards as b', (join) =>
      join.onRef('b.account_id', '=', 'd.account_id').onRef('b.id', '=', 'd.dashboard_id'),
    )
    .select(['d.domain', 'd.proven_at', 'd.status_page_id', 'b.dashboard_id'])
    .execute()
  return rows.map(({ domain, proven_at, status_page_id, dashboard_id }) => ({
    domain,
    isProven: proven_at !== null,
    address: status_page_id === null ? `/d/${dashboard_id}` : `/s/~${status_page_id}`,
  }))
}

/** The names that pages have below STATUS_DOMAIN and DASHBOARDS_DOMAIN, in lower case. */
export async function listPageNames(db: Db): Promise<{ status: string[]; dashboards: string[] }> {
  const pages = await db.selectFrom('status_pages').select(sql<string>`lower(url)`.as('name')).execute()
  const boards = await db
    .selectFrom('dashboards')
    .select(['dashboard_id', sql<string | null>`lower(custom_url)`.as('name')])
    .execute()
  return {
    status: pages.map(({ name }) => name),
    dashboards: boards.flatMap(({ dashboard_id, name }) =>
      name === null ? [dashboard_id] : [dashboard_id, name],
    ),
  }
}
