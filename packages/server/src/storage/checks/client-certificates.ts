import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Vault } from '../core/vault.ts'

/** Without the key and its passphrase, which are never shown. */
export type ClientCertificateRow = Pick<
  Selectable<Tables['client_certificates']>,
  'id' | 'host' | 'cert' | 'ca' | 'created_at'
>

const shown = ['id', 'host', 'cert', 'ca', 'created_at'] as const

export const { delete: deleteClientCertificate } = accountRows('client_certificates')

export async function listClientCertificates(db: Db, accountId: string): Promise<ClientCertificateRow[]> {
  return db
    .selectFrom('client_certificates')
    .select(shown)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function findClientCertificate(
  db: Db,
  accountId: string,
  id: string,
): Promise<ClientCertificateRow | null> {
  const row = await db
    .selectFrom('client_certificates')
    .select(shown)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function insertClientCertificate(
  db: Db,
  vault: Vault,
  accountId: string,
  values: {
    id: string
    host: string
    cert: string
    ca: string | null
    key: string
    passphrase: string | null
  },
): Promise<ClientCertificateRow> {
  const { key, passphrase, ...plain } = values
  const seal = (text: string): string => JSON.stringify(vault.seal(accountId, text))
  return db
    .insertInto('client_certificates')
    .values({
      ...plain,
      account_id: accountId,
      private_key: seal(key),
      passphrase: passphrase === null ? null : seal(passphrase),
    })
    .returning(shown)
    .executeTakeFirstOrThrow()
}
