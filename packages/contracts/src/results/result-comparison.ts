// What differs between a result and the last one that passed before it.
import { z } from 'zod'
import { Deployment } from '../checks/deployments.ts'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const differenceKinds = [
  'status',
  'address',
  'certificate',
  'redirects',
  'headers',
  'body',
  'timing',
  'test',
] as const

const DiffLine = z.object({ change: z.enum(['same', 'removed', 'added']), text: z.string() })

const ResultDifference = z
  .object({
    kind: z.enum(differenceKinds).describe('`test`: of checks that run code'),
    title: z.string().describe('A sentence'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    diff: z
      .array(DiffLine)
      .nullable()
      .describe('Of bodies: the lines that differ with those around them, at most 200'),
  })
  .meta({ id: 'ResultDifference' })

export type ResultDifference = z.output<typeof ResultDifference>

export const ResultComparison = z
  .object({
    passingResultId: Uuid.nullable().describe('Null: no run passed before, or its result is deleted'),
    passingAt: Timestamp.nullable().describe('When that run was due'),
    differences: z.array(ResultDifference),
    deployments: z.array(Deployment).describe('Between the two, the latest first, at most 20'),
  })
  .meta({ id: 'ResultComparison' })

export const compareCheckResult = route({
  method: 'GET',
  path: '/v1/check-results/{checkId}/{checkResultId}/comparison',
  tag: 'Check results',
  summary: 'Compare a result with the last one that passed before it',
  description:
    'In the same location, or in another one if none passed there. Without the evidence of both runs only their outcomes ' +
    'are compared. Headers that differ in every response are left out, and times that are less than twice as long.',
  access: 'READ_ONLY',
  params: z.object({ checkId: Uuid, checkResultId: Uuid }),
  status: 200,
  response: ResultComparison,
})
