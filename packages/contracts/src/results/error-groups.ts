import { z } from 'zod'
import { addition, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { GroupAnalysis } from './root-cause-analyses.ts'

/** Fields that groups of failed runs and of failed tests share. */
export const errorGroupFields = {
  id: Uuid,
  errorHash: z.string().describe('Hash of cleanedErrorMessage'),
  rawErrorMessage: z.string().nullable().describe('Of the first event'),
  cleanedErrorMessage: z.string().describe('Without the parts that differ between runs'),
  firstSeen: Timestamp,
  lastSeen: Timestamp,
  archivedUntilNextEvent: z.boolean().describe('Omitted from lists until it happens again'),
  archiveForEver: addition(z.boolean().describe('Permanently omitted from lists')),
  rootCauseAnalyses: z
    .array(GroupAnalysis)
    .optional()
    .describe('The latest that are completed, newest first'),
}

export const ErrorGroup = z.object({ ...errorGroupFields, checkId: Uuid }).meta({ id: 'ErrorGroup' })

export const ErrorGroupPatch = z
  .object({ archiveForEver: z.boolean().optional(), archivedUntilNextEvent: z.boolean().optional() })
  .meta({ id: 'ErrorGroupPatch' })

const tag = 'Error groups'
const params = z.object({ id: Uuid })
const hidden = 'Archived ones are omitted.'

export const listErrorGroups = route({
  method: 'GET',
  path: '/v1/error-groups',
  tag,
  summary: 'List error groups, the latest seen first',
  description: hidden,
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    archived: z.boolean().default(false).describe('Only archived ones instead'),
  }),
  status: 200,
  response: z.array(ErrorGroup),
  paged: true,
})

export const listErrorGroupsOfCheck = route({
  method: 'GET',
  path: '/v1/error-groups/checks/{checkId}',
  tag,
  summary: 'List the error groups of a check, the latest seen first',
  description: hidden,
  access: 'READ_ONLY',
  params: z.object({ checkId: Uuid }),
  query: PagedQuery,
  status: 200,
  response: z.array(ErrorGroup),
  paged: true,
})

export const getErrorGroup = route({
  method: 'GET',
  path: '/v1/error-groups/{id}',
  tag,
  summary: 'Read an error group, archived or not',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: ErrorGroup,
})

export const patchErrorGroup = route({
  method: 'PATCH',
  path: '/v1/error-groups/{id}',
  tag,
  summary: 'Archive an error group, or restore it',
  access: 'READ_WRITE',
  params,
  body: ErrorGroupPatch,
  status: 200,
  response: ErrorGroup,
  example: { archivedUntilNextEvent: true },
})
