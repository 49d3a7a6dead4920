// Drafts: checks that aren't stored, of test sessions that aren't over. Each is one sealed text, since any field of it may
// contain a secret that isn't marked as one yet.
import type { CheckType, CheckValues } from '@vedette/contracts'
import type { Db } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'
import type { Sealed, Vault } from '../core/vault.ts'

export interface Draft {
  id: string
  /** The stored check that is being edited; null: a new check. */
  checkId: string | null
  checkType: CheckType
  /** With secrets in plain text. */
  values: CheckValues
}

type NewDraft = Draft & { accountId: string; sessionId: string; sealed: Sealed }

const draft = columnKinds<NewDraft>()

const insertRows = insertMany('insert_drafts', 'drafts', {
  id: draft.uuid((row) => row.id),
  account_id: draft.uuid((row) => row.accountId),
  test_session_id: draft.uuid((row) => row.sessionId),
  check_type: draft.word((row) => row.checkType),
  check_id: draft.uuid((row) => row.checkId),
  code_bundle_path: draft.text(({ values }) =>
    typeof values.codeBundlePath === 'string' ? values.codeBundlePath : null,
  ),
  sealed_check: draft.json((row) => row.sealed),
})

export async function insertDrafts(
  client: Client,
  vault: Vault,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  drafts: readonly Draft[],
): Promise<void> {
  await insertRows(
    client,
    drafts.map((row) => {
      const sealed = vault.seal(accountId, JSON.stringify(row.values))
      return { ...row, accountId, sessionId, sealed }
    }),
  )
}

export interface OpenDraft extends Draft {
  accountId: string
}

/** By id. Crosses accounts: the caller is the queue, not an API client. */
export async function readDrafts(
  db: Db,
  vault: Vault,
  ids: readonly string[],
): Promise<Map<string, OpenDraft>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('drafts').selectAll().where('id', 'in', ids).execute()
  return new Map(
    rows.map(({ id, account_id: accountId, check_id: checkId, check_type: checkType, sealed_check }) => {
      const values: CheckValues = JSON.parse(vault.unseal(accountId, sealed_check))
      return [id, { id, accountId, checkId, checkType, values }]
    }),
  )
}

/** Of a session that is over: nothing runs them any more. */
export async function deleteDrafts(client: Client, sessionId: string): Promise<void> {
  await client.query({
    name: 'delete_drafts',
    text: 'delete from drafts where test_session_id = $1',
    values: [sessionId],
  })
}
