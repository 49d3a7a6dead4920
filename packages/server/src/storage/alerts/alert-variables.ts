// The variables of templates of alert channels: those of the account, overridden by those of the group of the check.
import type { Pool } from '../core/db.ts'
import { isSealed, unsealDeep, type Vault } from '../core/vault.ts'

export interface AlertVariables {
  variables: Record<string, string>
  /** The values that must not be disclosed. */
  secrets: string[]
}

export async function readAlertVariables(
  pool: Pool,
  vault: Vault,
  { accountId, groupId }: { accountId: string; groupId: number | null },
): Promise<AlertVariables> {
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
  const open = rows
    .map(({ key, value }) => ({ key, text: unsealDeep(vault, accountId, value), isSecret: isSealed(value) }))
    .filter((one): one is typeof one & { text: string } => typeof one.text === 'string')
  return {
    variables: Object.fromEntries(open.map(({ key, text }) => [key, text])),
    secrets: open.filter(({ isSecret }) => isSecret).map(({ text }) => text),
  }
}
