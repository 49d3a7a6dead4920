// Deletes the history of checks that the database can't delete by itself: history may be on other machines than checks.
import type { Client } from '../core/transaction.ts'

/** The rest of their history is in partitions, which are dropped when they are old. */
const tables = ['missed_runs', 'heartbeat_events'] as const

/** Call it after deleting the checks: transactions that write their history have ended by then. */
export async function deleteHistoryOf(client: Client, checkIds: readonly string[]): Promise<void> {
  if (checkIds.length === 0) return
  for (const table of tables) {
    await client.query(`delete from ${table} where check_id = any($1::uuid[])`, [checkIds])
  }
}

/** Call it after deleting the account. */
export async function deleteHistoryOfAccount(client: Client, accountId: string): Promise<void> {
  for (const table of tables) await client.query(`delete from ${table} where account_id = $1`, [accountId])
}
