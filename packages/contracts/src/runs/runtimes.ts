import { z } from 'zod'
import { route } from '../core/route.ts'
import { runtimeStages } from './runtimes/manifest.ts'

/** spec §2.4 */
export const Runtime = z
  .object({
    name: z.string(),
    multiStepSupport: z.boolean(),
    nodeJsVersion: z.string(),
    stage: z.enum(runtimeStages).optional(),
    runtimeEndOfLife: z.string().optional().describe('The day it is removed: month/day/year'),
    description: z.string().optional(),
    dependencies: z
      .record(z.string(), z.string())
      .describe('Package name to version, as in a package manifest'),
    problems: z
      .array(
        z.object({
          agentName: z
            .string()
            .nullable()
            .describe("Null for an agent of a release that doesn't send a name"),
          message: z.string(),
        }),
      )
      .optional()
      .describe('Running agents of the operator that could not load it; absent if there are none'),
  })
  .meta({ id: 'Runtime' })

const tag = 'Runtimes'

export const listRuntimes = route({
  method: 'GET',
  path: '/v1/runtimes',
  tag,
  summary: 'List the runtimes that scripts can use',
  description:
    'Existing command-line clients read it without a key, and check the imports of scripts by it: with the header ' +
    '`x-checkly-source: CLI`, dependencies also has the modules of Node.js and the paths of packages. Problems of agents are ' +
    'for callers with a key.',
  access: 'public',
  knowsCaller: true,
  status: 200,
  response: z.array(Runtime),
})

export const getRuntime = route({
  method: 'GET',
  path: '/v1/runtimes/{id}',
  tag,
  summary: 'Read a runtime',
  access: 'key',
  params: z.object({ id: z.string().max(100).describe('Its name, such as 2026.04') }),
  status: 200,
  response: Runtime,
})
