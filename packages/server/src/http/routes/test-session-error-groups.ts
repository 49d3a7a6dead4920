import {
  ApiError,
  getTestSessionErrorGroup,
  listTestSessionErrorGroups,
  listTestSessionErrorGroupsOfProject,
  type TestSessionErrorGroup,
  updateTestSessionErrorGroup,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as groups from '../../storage/test-session-error-groups.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { archiveColumns, presentErrorGroup } from '../present-error-group.ts'

type Presented = z.output<typeof TestSessionErrorGroup>

export function testSessionErrorGroupRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listTestSessionErrorGroups, async ({ account, query }) => {
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query)
      return { items: items.map(present), total }
    }),
    handle(listTestSessionErrorGroupsOfProject, async ({ account, params, query }) => {
      if (!(await groups.hasTestedProject(db, account.id, params.projectId))) throw new ApiError('not_found')
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query, params.projectId)
      return { items: items.map(present), total }
    }),
    handle(getTestSessionErrorGroup, async ({ account, params }) => {
      return present(found(await groups.findTestErrorGroup(db, account.id, params.id)))
    }),
    handle(updateTestSessionErrorGroup, async ({ account, params, body }) => {
      const columns = archiveColumns(body)
      const row =
        columns === null
          ? await groups.findTestErrorGroup(db, account.id, params.id)
          : await groups.updateTestErrorGroup(db, account.id, params.id, columns)
      return present(found(row))
    }),
  ]
}

function present(row: groups.TestErrorGroupRow): Presented {
  return {
    ...presentErrorGroup(row),
    projectId: row.project_id,
    environments: row.environments,
    pwtMetadata: row.pwt_metadata as Presented['pwtMetadata'],
  }
}
