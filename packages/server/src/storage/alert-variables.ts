// The variables that templates of alert channels can use: the account's, and over them those of the check's group.
import type { Pool } from './db.ts'
import { unsealDeep, type Vault } from './vault.ts'

export async function readAlertVariables(
  pool: Pool,
  vault: Vault,
  { accountId, groupId }: { accountId: string; groupId: number | null },
): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ key: string; value: unknown }>({
    name: 'read_alert_variables',
    text: `
      select key, value from (
        select key, value, 1 as rank from variables where account_id = $1
        union all
        select v ->> 'key', v -> 'value', 2 from check_groups g
        cross join lateral jsonb_array_elements(
          case when jsonb_typeof(g.settings -> 'environmentVariables') = 'array'
          then g.settings -> 'environmentVariables' else '[]' end) v
        where g.account_id = $1 and g.id = $2
      ) all_of_them order by rank`,
    values: [accountId, groupId],
  })
  const open = rows.map(({ key, value }) => [key, unsealDeep(vault, accountId, value)] as const)
  return Object.fromEntries(
    open.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'),
  )
}
