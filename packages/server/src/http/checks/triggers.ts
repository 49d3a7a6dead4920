import {
  ApiError,
  createCheckGroupTrigger,
  createCheckTrigger,
  deleteCheckGroupTrigger,
  deleteCheckTrigger,
  getCheckGroupTrigger,
  getCheckTrigger,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as triggers from '../../storage/checks/triggers.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function triggerRoutes({ store, vault }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(createCheckTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.insertTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), checkId: orNotFound(row.check_id) }
    }),
    handle(getCheckTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.findTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), checkId: orNotFound(row.check_id) }
    }),
    handle(deleteCheckTrigger, async ({ account, params }) => {
      if (!(await triggers.deleteTrigger(db, account.id, params))) throw new ApiError('not_found')
    }),
    handle(createCheckGroupTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.insertTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), groupId: orNotFound(row.group_id) }
    }),
    handle(getCheckGroupTrigger, async ({ account, params }) => {
      const row = orNotFound(await triggers.findTrigger(db, vault, account.id, params))
      return { ...serializeTrigger(row), groupId: orNotFound(row.group_id) }
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
