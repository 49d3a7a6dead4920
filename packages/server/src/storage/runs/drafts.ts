// Drafts: checks that aren't stored, of test sessions that aren't over. Each is one sealed text, since any field of it may
// contain a secret that isn't marked as one yet.
import type { CheckGroupValues, CheckType, CheckValues } from '@vedette/contracts'
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
  /** Its group, if that isn't stored either. */
  group?: DraftGroup | undefined
}

export type DraftGroup = Omit<CheckGroupValues, 'alertChannelSubscriptions'>

type NewDraft = Draft & { accountId: string; sessionId: string; sealed: Sealed; sealedGroup: Sealed | null }

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
  sealed_group: draft.json((row) => row.sealedGroup),
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
      const seal = (value: object) => vault.seal(accountId, JSON.stringify(value))
      const sealedGroup = row.group === undefined ? null : seal(row.group)
      return { ...row, accountId, sessionId, sealed: seal(row.values), sealedGroup }
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
    rows.map((row) => {
      const { id, account_id: accountId, check_id: checkId, check_type: checkType } = row
      const values: CheckValues = JSON.parse(vault.unseal(accountId, row.sealed_check))
      const group: DraftGroup | undefined =
        row.sealed_group === null ? undefined : JSON.parse(vault.unseal(accountId, row.sealed_group))
      return [id, { id, accountId, checkId, checkType, values, group }]
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
