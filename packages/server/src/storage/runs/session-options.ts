import type { CheckSessionOptions, TestSessionOptions } from '../core/session-columns.ts'
import type { Client } from '../core/transaction.ts'

interface OptionsRow<O> {
  id: string
  accountId: string
  expected: number
  options: O
}

/** Crosses accounts on purpose, as the queue does. */
export async function listSessionOptions(
  client: Client,
  {
    checkSessionIds,
    testSessionIds,
  }: { checkSessionIds: readonly string[]; testSessionIds: readonly string[] },
): Promise<{
  checkSessions: OptionsRow<CheckSessionOptions>[]
  testSessions: OptionsRow<TestSessionOptions>[]
}> {
  return {
    checkSessions: await listOptions(client, 'check_sessions', checkSessionIds),
    testSessions: await listOptions(client, 'test_sessions', testSessionIds),
  }
}

async function listOptions<O>(
  client: Client,
  table: 'check_sessions' | 'test_sessions',
  ids: readonly string[],
): Promise<OptionsRow<O>[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<OptionsRow<O>>({
    name: `list_options_of_${table}`,
    text: `select id, account_id as "accountId", expected, options from ${table} where id = any($1::uuid[])`,
    values: [ids],
  })
  return rows
}
