import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { ErrorGroupPatch, errorGroupFields } from '../results/error-groups.ts'

/** A test of a suite. */
export const SuiteTest = z
  .object({
    projectName: z.string(),
    specId: z.string().optional(),
    testFile: z.string(),
    testTitle: z.string(),
    suitePath: z.array(z.string()),
  })
  .meta({ id: 'TestSessionErrorGroupTest' })

export type SuiteTest = z.output<typeof SuiteTest>

export const TestSessionErrorGroup = z
  .object({
    ...errorGroupFields,
    projectId: Uuid.nullable(),
    environments: z.array(z.string()).nullable(),
    pwtMetadata: z.array(SuiteTest).nullable(),
  })
  .meta({ id: 'TestSessionErrorGroup' })

const tag = 'Test-session error groups'
const params = z.object({ id: Uuid })

export const listTestSessionErrorGroups = route({
  method: 'GET',
  path: '/v1/test-session-error-groups',
  tag,
  summary: 'List the errors that test sessions found, the latest first',
  description: 'Archived ones are omitted.',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(TestSessionErrorGroup),
  paged: true,
})

export const listTestSessionErrorGroupsOfProject = route({
  method: 'GET',
  path: '/v1/test-session-error-groups/projects/{projectId}',
  tag,
  summary: 'List the errors that test sessions of a project found, the latest first',
  access: 'READ_ONLY',
  params: z.object({ projectId: Uuid }),
  query: PagedQuery,
  status: 200,
  response: z.array(TestSessionErrorGroup),
  paged: true,
})

export const getTestSessionErrorGroup = route({
  method: 'GET',
  path: '/v1/test-session-error-groups/{id}',
  tag,
  summary: 'Read an error that test sessions found',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: TestSessionErrorGroup,
})

export const updateTestSessionErrorGroup = route({
  method: 'PATCH',
  path: '/v1/test-session-error-groups/{id}',
  tag,
  summary: 'Archive an error, or restore it',
  access: 'READ_WRITE',
  params,
  body: ErrorGroupPatch,
  status: 200,
  response: TestSessionErrorGroup,
  example: { archivedUntilNextEvent: true },
})
