import {
  ApiError,
  createCheckGroupTrigger,
  createCheckTrigger,
  deleteCheckGroupTrigger,
  deleteCheckTrigger,
  getCheckGroupTrigger,
  getCheckTrigger,
  listTriggers,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { publicUrl } from '../../core/public-url.ts'
import * as triggers from '../../storage/checks/triggers.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function triggerRoutes({ store, vault, config }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listTriggers, async ({ account, query }) => {
      const { items, total } = await triggers.listTriggers(db, vault, account.id, query)
      return { items: items.map((row) => serializeListed(row, publicUrl(config))), total }
    }),
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

function serializeListed(row: triggers.NamedTriggerRow, origin: string) {
  const target = row.check_id === null ? `check-groups/${row.group_id}` : `checks/${row.check_id}`
  return {
    ...serializeTrigger(row),
    checkId: row.check_id,
    groupId: row.group_id,
    name: row.name,
    url: `${origin}/${target}/trigger/${row.token}`,
  }
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
