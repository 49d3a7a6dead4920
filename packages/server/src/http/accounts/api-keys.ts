import {
  ApiError,
  type ApiKey,
  createServiceApiKey,
  createUserApiKey,
  deleteServiceApiKey,
  deleteUserApiKey,
  listServiceApiKeys,
  listUserApiKeys,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import * as apiKeys from '../../storage/accounts/api-keys.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function apiKeyRoutes({ store, keys }: Deps): Mounted[] {
  const { db } = store
  const revoke = async (owner: apiKeys.KeyOwner, id: string): Promise<void> => {
    if (!(await apiKeys.deleteApiKey(db, owner, id))) throw new ApiError('not_found')
    keys.forget()
  }
  return [
    handle(listUserApiKeys, async ({ principal }) => {
      return (await apiKeys.listApiKeys(db, { user_id: userOf(principal) })).map((row) =>
        serializeApiKey(row),
      )
    }),
    handle(createUserApiKey, async ({ principal, body }) => {
      return create(db, (tx) => apiKeys.insertUserKey(tx, userOf(principal), body.name))
    }),
    handle(deleteUserApiKey, async ({ principal, params }) =>
      revoke({ user_id: userOf(principal) }, params.id),
    ),
    handle(listServiceApiKeys, async ({ account }) => {
      return (await apiKeys.listApiKeys(db, { account_id: account.id })).map((row) => serializeApiKey(row))
    }),
    handle(createServiceApiKey, async ({ account, body }) => {
      return create(db, (tx) => apiKeys.insertServiceKey(tx, account.id, body.role, body.name))
    }),
    handle(deleteServiceApiKey, async ({ account, params }) => revoke({ account_id: account.id }, params.id)),
  ]
}

async function create(db: Db, insert: (tx: Db) => Promise<apiKeys.NewKey>): Promise<z.output<typeof ApiKey>> {
  return transact(db, async (tx) => {
    const { id, rawKey } = await insert(tx)
    return serializeApiKey(orNotFound(await apiKeys.findApiKey(tx, id)), rawKey)
  })
}

function serializeApiKey(row: apiKeys.ApiKeyRow, rawKey?: string): z.output<typeof ApiKey> {
  return {
    id: row.id,
    name: row.name,
    rawKey,
    maskedKey: row.masked_key,
    role: row.role ?? undefined,
    created_at: row.created_at,
    updated_at: row.updated_at,
    lastUsedAt: row.last_used_at,
  }
}
