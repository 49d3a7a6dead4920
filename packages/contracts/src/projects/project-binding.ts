// Which project a resource belongs to, as reads of resources show it.
import { z } from 'zod'
import { addition, Uuid } from '../core/fields.ts'

export const BoundProject = z
  .object({ id: Uuid, logicalId: z.string(), name: z.string() })
  .meta({ id: 'BoundProject' })

const ProjectBindings = z
  .object({
    owner: z.object({
      project: BoundProject,
      binding: z.object({
        logicalId: z.string(),
        pending: z.boolean().describe('Imported, and not committed yet'),
      }),
    }),
    references: z.array(z.unknown()).describe('Always empty'),
  })
  .meta({ id: 'ProjectBindings' })

const note = "Absent: it isn't part of a project"

/** On resources that projects can have. */
export const projectFields = {
  project: addition(BoundProject.optional().describe(note)),
  logicalId: addition(z.string().optional().describe(note)),
  projectBindings: addition(ProjectBindings.optional().describe(note)),
  drifted: addition(
    z
      .boolean()
      .optional()
      .describe(`Edited after the last deployment, which the next one overwrites. ${note}`),
  ),
}

export type ProjectFieldValues = { [K in keyof typeof projectFields]?: z.output<(typeof projectFields)[K]> }
