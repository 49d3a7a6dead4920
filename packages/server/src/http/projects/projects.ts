import { ApiError, createProject, getProject, listProjects, type Project } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { violatedUnique } from '../../storage/core/db.ts'
import * as projects from '../../storage/projects/projects.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function projectRoutes({ store }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listProjects, async ({ account }) => {
      const rows = await projects.listProjects(db, account.id)
      return rows.map(serializeProject)
    }),
    handle(getProject, async ({ account, params }) => {
      const [row] = await projects.listProjects(db, account.id, params.logicalId)
      return serializeProject(orNotFound(row ?? null))
    }),
    handle(createProject, async ({ account, body }) => {
      try {
        return serializeProject({
          ...(await projects.insertProject(db, account.id, body)),
          resource_count: 0,
        })
      } catch (error) {
        if (violatedUnique(error) !== 'projects_logical_id') throw error
        throw new ApiError('key_taken', {
          message: 'A project with this logicalId exists already.',
          attributes: { logicalId: 'is taken' },
        })
      }
    }),
  ]
}

function serializeProject(row: projects.CountedProject): z.output<typeof Project> {
  return {
    id: row.id,
    logicalId: row.logical_id,
    name: row.name,
    repoUrl: row.repo_url,
    resourceCount: row.resource_count,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
