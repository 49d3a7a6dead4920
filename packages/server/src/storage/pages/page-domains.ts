// Domains of customers. Each belongs to one page of all accounts.
import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

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
