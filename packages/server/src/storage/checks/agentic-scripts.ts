// Scripts of agentic checks: written by runs, accepted or rejected by people, replayed by runs.
import { maxAgenticScripts } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type AgenticScriptRow = Selectable<Tables['agentic_scripts']>

export interface WrittenScript {
  id: string
  accountId: string
  checkId: string
  promptHash: string
  script: string
  resultId: string
}

const insertText = `
  insert into agentic_scripts (id, account_id, check_id, prompt_hash, script, status, result_id, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0)) on conflict do nothing`

function insertScript(client: Client, written: WrittenScript, status: 'current' | 'proposed', now: number) {
  const { id, accountId, checkId, promptHash, script, resultId } = written
  return client.query({
    name: 'insert_agentic_script',
    text: insertText,
    values: [id, accountId, checkId, promptHash, script, status, resultId, now],
  })
}

/** If two first runs end at the same time, the first script stays. */
export async function insertFirstScript(client: Client, written: WrittenScript, now: number): Promise<void> {
  await insertScript(client, written, 'current', now)
  await forgetScripts(client, written)
}

/** A newer proposal replaces one that is still open. */
export async function insertProposedScript(
  client: Client,
  written: WrittenScript,
  now: number,
): Promise<void> {
  await client.query({
    name: 'replace_agentic_proposal',
    text: `update agentic_scripts set status = 'replaced', decided_at = to_timestamp($4 / 1000.0)
      where account_id = $1 and check_id = $2 and prompt_hash = $3 and status = 'proposed'`,
    values: [written.accountId, written.checkId, written.promptHash, now],
  })
  await insertScript(client, written, 'proposed', now)
  await forgetScripts(client, written)
}

/** Deletes old scripts that runs don't use, including those of earlier prompts. */
async function forgetScripts(
  client: Client,
  { accountId, checkId, promptHash }: WrittenScript,
): Promise<void> {
  await client.query({
    name: 'forget_agentic_scripts',
    text: `delete from agentic_scripts where account_id = $1 and check_id = $2
      and (status in ('rejected', 'replaced') or prompt_hash <> $4)
      and id not in (select id from agentic_scripts where account_id = $1 and check_id = $2
        order by created_at desc, id limit $3)`,
    values: [accountId, checkId, maxAgenticScripts, promptHash],
  })
}

export function listAgenticScripts(db: Db, accountId: string, checkId: string): Promise<AgenticScriptRow[]> {
  return db
    .selectFrom('agentic_scripts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_id', '=', checkId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** Locked until the transaction ends, so that a script is decided once. */
export async function lockAgenticScript(
  tx: Db,
  accountId: string,
  checkId: string,
  id: string,
): Promise<AgenticScriptRow | null> {
  const row = await tx
    .selectFrom('agentic_scripts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_id', '=', checkId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function updateScriptStatus(
  tx: Db,
  script: AgenticScriptRow,
  status: 'current' | 'rejected',
  now: number,
): Promise<AgenticScriptRow> {
  const decided_at = new Date(now)
  if (status === 'current') {
    await tx
      .updateTable('agentic_scripts')
      .set({ status: 'replaced', decided_at })
      .where('account_id', '=', script.account_id)
      .where('check_id', '=', script.check_id)
      .where('prompt_hash', '=', script.prompt_hash)
      .where('status', '=', 'current')
      .execute()
  }
  return tx
    .updateTable('agentic_scripts')
    .set({ status, decided_at })
    .where('account_id', '=', script.account_id)
    .where('id', '=', script.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export type OpenScript = Pick<AgenticScriptRow, 'check_id' | 'prompt_hash' | 'script' | 'status'>

/** Current and proposed scripts. Crosses accounts on purpose: it serves the queue, not a caller. */
export function listOpenScripts(db: Db, checkIds: readonly string[]): Promise<OpenScript[]> {
  if (checkIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('agentic_scripts')
    .select(['check_id', 'prompt_hash', 'script', 'status'])
    .where('check_id', 'in', checkIds)
    .where('status', 'in', ['current', 'proposed'])
    .execute()
}
