import {
  ApiError,
  getTestSessionErrorGroup,
  listTestSessionErrorGroups,
  listTestSessionErrorGroupsOfProject,
  type TestSessionErrorGroup,
  updateTestSessionErrorGroup,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import * as groups from '../../storage/runs/test-session-error-groups.ts'
import { type SerializedAnalyses, serializeGroupAnalyses } from '../results/serialize-analysis.ts'
import { archiveColumns, serializeErrorGroup } from '../results/serialize-error-group.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

type Serialized = z.output<typeof TestSessionErrorGroup>

export function testSessionErrorGroupRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  async function serializeAll(accountId: string, rows: groups.TestErrorGroupRow[]) {
    const analyses = await serializeGroupAnalyses(deps, accountId, 'test_session_error_group_id', rows)
    return rows.map((row) => serialize(row, analyses))
  }
  async function serializeOne(accountId: string, row: groups.TestErrorGroupRow | null) {
    const [serialized] = await serializeAll(accountId, [orNotFound(row)])
    return orNotFound(serialized)
  }
  return [
    handle(listTestSessionErrorGroups, async ({ account, query }) => {
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query)
      return { items: await serializeAll(account.id, items), total }
    }),
    handle(listTestSessionErrorGroupsOfProject, async ({ account, params, query }) => {
      if (!(await groups.hasTestedProject(db, account.id, params.projectId))) throw new ApiError('not_found')
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query, params.projectId)
      return { items: await serializeAll(account.id, items), total }
    }),
    handle(getTestSessionErrorGroup, async ({ account, params }) => {
      return serializeOne(account.id, await groups.findTestErrorGroup(db, account.id, params.id))
    }),
    handle(updateTestSessionErrorGroup, async ({ account, params, body }) => {
      const columns = archiveColumns(body)
      const row =
        columns === null
          ? await groups.findTestErrorGroup(db, account.id, params.id)
          : await groups.updateTestErrorGroup(db, account.id, params.id, columns)
      return serializeOne(account.id, row)
    }),
  ]
}

function serialize(row: groups.TestErrorGroupRow, analyses: SerializedAnalyses): Serialized {
  return {
    ...serializeErrorGroup(row, analyses),
    projectId: row.project_id,
    environments: row.environments,
    pwtMetadata: row.pwt_metadata,
  }
}
