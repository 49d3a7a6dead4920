import type { AccessKey, IssuedKey } from '@vedette/contracts'
import type { z } from 'zod'
import type { NewKey } from '../../storage/accounts/api-keys.ts'

export interface AccessKeyRow {
  id: string
  masked_key: string
  created_at: string
  updated_at: string | null
}

/** `issued` is the key that was just created: its full value is sent only once. */
export function serializeAccessKey(row: AccessKeyRow, issued: NewKey | null): z.output<typeof AccessKey> {
  return {
    id: row.id,
    ...(issued?.id === row.id ? { rawKey: issued.rawKey } : {}),
    maskedKey: row.masked_key,
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
  }
}

export function serializeIssuedKey(row: AccessKeyRow, { rawKey }: NewKey): z.output<typeof IssuedKey> {
  return { ...serializeAccessKey(row, null), rawKey }
}
