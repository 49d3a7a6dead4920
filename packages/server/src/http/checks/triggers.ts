import {
  ApiError,
  createCheckGroupTrigger,
  createCheckTrigger,
  deleteCheckGroupTrigger,
  deleteCheckTrigger,
  getCheckGroupTrigger,
  getCheckTrigger,
} from '@vedette/contracts'
import * as triggers from '../../storage/checks/triggers.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

export function triggerRoutes({ store, vault }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(createCheckTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.insertTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), checkId: row.check_id as string }
    }),
    handle(getCheckTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.findTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), checkId: row.check_id as string }
    }),
    handle(deleteCheckTrigger, async ({ account, params }) => {
      if (!(await triggers.deleteTrigger(db, account.id, params))) throw new ApiError('not_found')
    }),
    handle(createCheckGroupTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.insertTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), groupId: row.group_id as number }
    }),
    handle(getCheckGroupTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.findTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), groupId: row.group_id as number }
    }),
    handle(deleteCheckGroupTrigger, async ({ account, params }) => {
      if (!(await triggers.deleteTrigger(db, account.id, params))) throw new ApiError('not_found')
    }),
  ]
}

function serializeTrigger(row: triggers.TriggerRow) {
  return {
    id: row.id,
    token: row.token,
    created_at: row.created_at,
    called_at: row.called_at,
    updated_at: row.updated_at,
  }
}
