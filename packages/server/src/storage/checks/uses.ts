// Which checks and groups use something that they share.
import { maxListedUses, type Uses } from '@vedette/contracts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../core/db.ts'

export function listSnippetUses(
  db: Db,
  accountId: string,
  { id, name }: { id: number; name: string },
): Promise<Uses> {
  // The script of a check requires the file of a snippet.
  const file = `snippets/${name}`
  const isHook = sql<boolean>`${id} in (setup_snippet_id, tear_down_snippet_id)`
  return listUses(db, accountId, {
    checks: sql`${isHook} or strpos(settings::text, ${file}) > 0`,
    groups: sql`${isHook} or strpos(settings::text, ${file}) > 0`,
  })
}

/** By name: settings may have it as {{NAME}}, scripts as process.env.NAME. */
export function listVariableUses(db: Db, accountId: string, key: string): Promise<Uses> {
  // The search for the text comes first: it is much cheaper than the one for a whole word.
  const isNamed = (text: RawBuilder<string>) =>
    sql<boolean>`(strpos(${text}, ${key}) > 0 and ${text} ~ ${`(^|[^A-Za-z0-9_])${key}([^A-Za-z0-9_]|$)`})`
  return listUses(db, accountId, {
    checks: sql`${isNamed(sql`settings::text`)} or ${isNamed(sql`coalesce(dependencies::text, '')`)}`,
    groups: isNamed(sql`settings::text`),
  })
}

export interface CertificateTarget {
  id: string
  name: string
  /** A URL or a host; null: the type has none. */
  address: string | null
  /** The certificate that an SSL monitor names. */
  certificateId: string | null
}

/** What checks of these types connect to, by name. The URL of the group is filled in. */
export async function listCertificateTargets(
  db: Db,
  accountId: string,
  types: readonly string[],
): Promise<CertificateTarget[]> {
  const { rows } = await sql<CertificateTarget>`
    select c.id, c.name,
      regexp_replace(coalesce(c.settings #>> '{request,url}', c.settings #>> '{request,sslConfig,hostname}'),
        '^\\{\\{\\s*GROUP_BASE_URL\\s*\\}\\}', coalesce(g.settings #>> '{apiCheckDefaults,url}', '')) as address,
      case when c.settings #>> '{request,sslConfig,clientCertificateMode}' = 'auto' then null
        else c.settings #>> '{request,sslClientCertificateId}' end as "certificateId"
    from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    where c.account_id = ${accountId} and c.check_type = any(${types}::text[]) order by c.name, c.id`.execute(
    db,
  )
  return rows
}

async function listUses(
  db: Db,
  accountId: string,
  is: { checks: RawBuilder<boolean>; groups: RawBuilder<boolean> },
): Promise<Uses> {
  const find = async <I>(table: string, condition: RawBuilder<boolean>) => {
    const { rows } = await sql<{ id: I; name: string; total: number }>`
      select id, name, count(*) over () as total from ${sql.table(table)}
      where account_id = ${accountId} and (${condition}) order by name, id limit ${maxListedUses}`.execute(db)
    return { entries: rows.map(({ id, name }) => ({ id, name })), count: rows[0]?.total ?? 0 }
  }
  const [checks, groups] = await Promise.all([
    find<string>('checks', is.checks),
    find<number>('check_groups', is.groups),
  ])
  return {
    checks: checks.entries,
    checkCount: checks.count,
    groups: groups.entries,
    groupCount: groups.count,
  }
}
