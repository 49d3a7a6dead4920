import {
  ApiError,
  getTestSessionErrorGroup,
  listTestSessionErrorGroups,
  listTestSessionErrorGroupsOfProject,
  type TestSessionErrorGroup,
  updateTestSessionErrorGroup,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as groups from '../../storage/runs/test-session-error-groups.ts'
import { type PresentedAnalyses, presentGroupAnalyses } from '../results/present-analysis.ts'
import { archiveColumns, presentErrorGroup } from '../results/present-error-group.ts'
import type { Deps } from '../transport/deps.ts'
import { found, handle, type Mounted } from '../transport/mount.ts'

type Presented = z.output<typeof TestSessionErrorGroup>

export function testSessionErrorGroupRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  async function presentAll(accountId: string, rows: groups.TestErrorGroupRow[]) {
    const analyses = await presentGroupAnalyses(deps, accountId, 'test_session_error_group_id', rows)
    return rows.map((row) => present(row, analyses))
  }
  async function presentOne(accountId: string, row: groups.TestErrorGroupRow | null) {
    const [presented] = await presentAll(accountId, [found(row)])
    return found(presented)
  }
  return [
    handle(listTestSessionErrorGroups, async ({ account, query }) => {
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query)
      return { items: await presentAll(account.id, items), total }
    }),
    handle(listTestSessionErrorGroupsOfProject, async ({ account, params, query }) => {
      if (!(await groups.hasTestedProject(db, account.id, params.projectId))) throw new ApiError('not_found')
      const { items, total } = await groups.listTestErrorGroups(db, account.id, query, params.projectId)
      return { items: await presentAll(account.id, items), total }
    }),
    handle(getTestSessionErrorGroup, async ({ account, params }) => {
      return presentOne(account.id, await groups.findTestErrorGroup(db, account.id, params.id))
    }),
    handle(updateTestSessionErrorGroup, async ({ account, params, body }) => {
      const columns = archiveColumns(body)
      const row =
        columns === null
          ? await groups.findTestErrorGroup(db, account.id, params.id)
          : await groups.updateTestErrorGroup(db, account.id, params.id, columns)
      return presentOne(account.id, row)
    }),
  ]
}

function present(row: groups.TestErrorGroupRow, analyses: PresentedAnalyses): Presented {
  return {
    ...presentErrorGroup(row, analyses),
    projectId: row.project_id,
    environments: row.environments,
    pwtMetadata: row.pwt_metadata as Presented['pwtMetadata'],
  }
}
