import { z } from 'zod'
import { CheckType } from './checks/index.ts'
import { Timestamp, Uuid } from './fields.ts'
import { PagedQuery } from './pagination.ts'
import { route } from './route.ts'

export const LocationAlarm = z
  .object({
    id: Uuid,
    location: z.string().describe('A data-center location, or the slug of a private one'),
    kind: z
      .enum(['no_agent', 'overdue'])
      .describe('no_agent: nobody is there to run checks; overdue: runs wait although an agent is there'),
    checkCount: z.int().describe('How many checks do not run there'),
    checks: z.array(z.string()).describe('The names of the first ten'),
    unservedTypes: z
      .array(CheckType)
      .describe('Types of these checks that none of the agents there runs; empty where no agent is there'),
    openedAt: Timestamp,
    resolvedAt: Timestamp.nullable().describe('Null while it is open'),
  })
  .meta({ id: 'LocationAlarm' })

export const listLocationAlarms = route({
  method: 'GET',
  path: '/v1/location-alarms',
  tag: 'Location alarms',
  summary: 'List locations in which checks did not run, those that are open first, then the latest',
  description: 'Owners and admins of the account are mailed when an alarm is opened and when it is resolved.',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(LocationAlarm),
  paged: true,
})
