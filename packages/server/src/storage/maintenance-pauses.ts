// Which checks are paused by a maintenance window, asked for those that are about to run.
import { isActive, type RepeatingPeriod } from '@vedette/contracts'
import type { Client } from './transaction.ts'

interface PausingWindow extends RepeatingPeriod {
  accountId: string
  pauseAllChecks: boolean
  tags: string[]
}

/** The ids among `checks` that are paused at that instant. */
export async function pausedChecks(
  client: Client,
  checks: readonly { accountId: string; checkId: string }[],
  at: number,
): Promise<Set<string>> {
  const windows = await activeWindows(client, [...new Set(checks.map(({ accountId }) => accountId))], at)
  if (windows.length === 0) return new Set()
  const byAccount = Map.groupBy(windows, ({ accountId }) => accountId)
  const tagsOf = await readTags(
    client,
    checks.filter(({ accountId }) => byAccount.has(accountId)).map(({ checkId }) => checkId),
  )
  const isPaused = ({ accountId, checkId }: { accountId: string; checkId: string }) => {
    const tags = tagsOf.get(checkId) ?? []
    return (byAccount.get(accountId) ?? []).some(
      (window) => window.pauseAllChecks || window.tags.some((tag) => tags.includes(tag)),
    )
  }
  return new Set(checks.filter(isPaused).map(({ checkId }) => checkId))
}

async function activeWindows(client: Client, accountIds: string[], at: number): Promise<PausingWindow[]> {
  const { rows } = await client.query<PausingWindow>({
    name: 'pausing_windows',
    text: `
      select account_id as "accountId", pause_all_checks as "pauseAllChecks", tags, starts_at as "startsAt",
        ends_at as "endsAt", repeat_interval as "repeatInterval", repeat_unit as "repeatUnit",
        repeat_ends_at as "repeatEndsAt"
      from maintenance_windows
      where account_id = any($1::uuid[]) and starts_at <= to_timestamp($2 / 1000.0) and (pause_all_checks or tags <> '{}')`,
    values: [accountIds, at],
  })
  return rows.filter((window) => isActive(window, at))
}

/** A group's tags are its checks' tags too. */
async function readTags(client: Client, checkIds: string[]): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ id: string; tags: string[] }>({
    name: 'tags_of_checks',
    text: `
      select c.id, c.tags || coalesce(g.tags, '{}') as tags from checks c
      left join check_groups g on g.id = c.group_id and g.account_id = c.account_id
      where c.id = any($1::uuid[])`,
    values: [checkIds],
  })
  return new Map(rows.map(({ id, tags }) => [id, tags]))
}
