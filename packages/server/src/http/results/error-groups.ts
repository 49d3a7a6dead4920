import { getErrorGroup, listErrorGroups, listErrorGroupsOfCheck, patchErrorGroup } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findCheckName } from '../../storage/checks/check-names.ts'
import * as groups from '../../storage/results/error-groups.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeGroupAnalyses } from './serialize-analysis.ts'
import { archiveColumns, serializeErrorGroup } from './serialize-error-group.ts'

export function errorGroupRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  async function serialize(accountId: string, rows: groups.ErrorGroupRow[]) {
    const analyses = await serializeGroupAnalyses(deps, accountId, 'error_group_id', rows)
    return rows.map((row) => ({ ...serializeErrorGroup(row, analyses), checkId: row.check_id }))
  }
  async function serializeOne(accountId: string, row: groups.ErrorGroupRow | null) {
    const [serialized] = await serialize(accountId, [orNotFound(row)])
    return orNotFound(serialized)
  }
  return [
    handle(listErrorGroups, async ({ account, query }) => {
      const { items, total } = await groups.listErrorGroups(db, account.id, query)
      return { items: await serialize(account.id, items), total }
    }),
    handle(listErrorGroupsOfCheck, async ({ account, params, query }) => {
      const { id } = orNotFound(await findCheckName(db, account.id, params.checkId))
      const { items, total } = await groups.listErrorGroups(db, account.id, { ...query, checkId: id })
      return { items: await serialize(account.id, items), total }
    }),
    handle(getErrorGroup, async ({ account, params }) => {
      return serializeOne(account.id, await groups.findErrorGroup(db, account.id, params.id))
    }),
    handle(patchErrorGroup, async ({ account, params, body }) => {
      const columns = archiveColumns(body)
      const row =
        columns === null
          ? await groups.findErrorGroup(db, account.id, params.id)
          : await groups.updateErrorGroup(db, account.id, params.id, columns)
      return serializeOne(account.id, row)
    }),
  ]
}
