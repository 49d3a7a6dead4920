import { getErrorGroup, listErrorGroups, listErrorGroupsOfCheck, patchErrorGroup } from '@vedette/contracts'
import { findCheckName } from '../../storage/check-names.ts'
import * as groups from '../../storage/error-groups.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { archiveColumns, presentErrorGroup } from '../present-error-group.ts'

export function errorGroupRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listErrorGroups, async ({ account, query }) => {
      const { items, total } = await groups.listErrorGroups(db, account.id, query)
      return { items: items.map(present), total }
    }),
    handle(listErrorGroupsOfCheck, async ({ account, params, query }) => {
      const { id } = found(await findCheckName(db, account.id, params.checkId))
      const { items, total } = await groups.listErrorGroups(db, account.id, { ...query, checkId: id })
      return { items: items.map(present), total }
    }),
    handle(getErrorGroup, async ({ account, params }) => {
      return present(found(await groups.findErrorGroup(db, account.id, params.id)))
    }),
    handle(patchErrorGroup, async ({ account, params, body }) => {
      const columns = archiveColumns(body)
      const row =
        columns === null
          ? await groups.findErrorGroup(db, account.id, params.id)
          : await groups.updateErrorGroup(db, account.id, params.id, columns)
      return present(found(row))
    }),
  ]
}

function present(row: groups.ErrorGroupRow) {
  return { ...presentErrorGroup(row), checkId: row.check_id }
}
