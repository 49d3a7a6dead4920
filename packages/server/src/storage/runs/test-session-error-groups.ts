// Error groups of test sessions, per project, separate from those of checks.
import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, firstRow, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type TestErrorGroupRow = Selectable<Tables['test_session_error_groups']>

export const { find: findTestErrorGroup, update: updateTestErrorGroup } =
  accountRows('test_session_error_groups')

/** The latest first, without archived ones. */
export async function listTestErrorGroups(
  db: Db,
  accountId: string,
  page: PageRequest,
  projectId?: string,
): Promise<Page<TestErrorGroupRow>> {
  let all = db
    .selectFrom('test_session_error_groups')
    .where('account_id', '=', accountId)
    .where('archived_for_ever', '=', false)
    .where('archived_until_next_event', '=', false)
  if (projectId !== undefined) all = all.where('project_id', '=', projectId)
  const ordered = all.selectAll().orderBy('last_seen', 'desc').orderBy('id')
  return pageOf(ordered, all.select(countAll), page)
}

export interface TestErrorEvent {
  id: string
  accountId: string
  projectId: string | null
  environment: string | null
  errorHash: string
  rawErrorMessage: string
  cleanedErrorMessage: string
  /** Tests of a suite that failed with this error; null: it isn't a suite. */
  pwtMetadata: object[] | null
  seenAt: number
}

const upsertText = `
  insert into test_session_error_groups as g (id, account_id, project_id, environments, error_hash, raw_error_message,
    cleaned_error_message, pwt_metadata, first_seen, last_seen)
  select r."id", r."accountId", r."projectId", r."environments", r."errorHash", r."rawErrorMessage",
    r."cleanedErrorMessage", r."pwtMetadata", to_timestamp(r."firstSeen" / 1000.0), to_timestamp(r."lastSeen" / 1000.0)
  from jsonb_to_recordset($1::jsonb) as r ("id" uuid, "accountId" uuid, "projectId" uuid, "environments" text[],
    "errorHash" text, "rawErrorMessage" text, "cleanedErrorMessage" text, "pwtMetadata" jsonb, "firstSeen" float8, "lastSeen" float8)
  order by r."id"
  on conflict (account_id, project_id, error_hash) do update set
    environments = array(select distinct unnest(g.environments || excluded.environments) order by 1),
    pwt_metadata = case when excluded.pwt_metadata is null then g.pwt_metadata else (
      select jsonb_agg(test order by test) from (
        select distinct test from jsonb_array_elements(coalesce(g.pwt_metadata, '[]') || excluded.pwt_metadata) test
        order by test limit 100) tests) end,
    first_seen = least(g.first_seen, excluded.first_seen), last_seen = greatest(g.last_seen, excluded.last_seen),
    archived_until_next_event = g.archived_until_next_event and excluded.last_seen <= g.last_seen`

/** Keeps the message of the first event; a new event restores an archived group. */
export async function upsertTestErrorGroups(
  client: Client,
  events: readonly TestErrorEvent[],
): Promise<void> {
  if (events.length === 0) return
  const groups = [...Map.groupBy(events, ({ id }) => id).values()].map((all) => {
    const tests = all.flatMap(({ pwtMetadata }) => pwtMetadata ?? [])
    const times = all.map(({ seenAt }) => seenAt)
    const environments = all.flatMap(({ environment }) => environment ?? [])
    return {
      ...firstRow(all),
      pwtMetadata: tests.length === 0 ? null : tests,
      environments: [...new Set(environments)].sort(),
      firstSeen: Math.min(...times),
      lastSeen: Math.max(...times),
    }
  })
  await client.query({
    name: 'upsert_test_error_groups',
    text: upsertText,
    values: [JSON.stringify(groups)],
  })
}

/** A project is known by the test sessions that were run for it. */
export async function hasTestedProject(db: Db, accountId: string, projectId: string): Promise<boolean> {
  for (const table of ['test_session_error_groups', 'test_sessions'] as const) {
    const row = await db
      .selectFrom(table)
      .select('id')
      .where('account_id', '=', accountId)
      .where('project_id', '=', projectId)
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}
