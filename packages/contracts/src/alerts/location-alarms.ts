import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { addition, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'

export const alarmCauses = ['no_agent', 'unserved_type', 'overdue', 'server_outage'] as const

export type AlarmCause = (typeof alarmCauses)[number]

export const LocationAlarm = z
  .object({
    id: Uuid,
    location: z
      .string()
      .describe('A data-center location, or the slug of a private one; empty: not about one location'),
    kind: z
      .enum(['no_agent', 'overdue', 'unknown_checks'])
      .describe(
        'no_agent: the location has no agent; overdue: runs wait although it has an agent; ' +
          'unknown_checks: the state of these checks is unknown, for one cause',
      ),
    cause: addition(
      z
        .enum(alarmCauses)
        .describe(
          'no_agent: the location has no connected agent; unserved_type: no agent there runs checks of this type; ' +
            'overdue: the location has an agent, but runs wait; server_outage: no server was running',
        ),
    ),
    checkIds: addition(z.array(Uuid).describe('Of alarms of the kind unknown_checks: the first thousand')),
    checkCount: z.int().describe("How many checks don't run there"),
    checks: z.array(z.string()).describe('The names of the first ten'),
    unservedTypes: z
      .array(CheckType)
      .describe('Types of these checks that none of the agents there runs; empty if there is no agent'),
    openedAt: Timestamp,
    resolvedAt: Timestamp.nullable().describe('Null while it is open'),
  })
  .meta({ id: 'LocationAlarm' })

export const listLocationAlarms = route({
  method: 'GET',
  path: '/v1/location-alarms',
  tag: 'Location alarms',
  summary: 'List locations in which checks did not run, those that are open first, then the latest',
  description:
    'Owners and admins of the account receive an email when an alarm of the kinds no_agent and overdue is opened and when it ' +
    'is resolved. Alarms of the kind unknown_checks go to the alert channels that are subscribed to the checks: one message ' +
    'for each channel and cause, and one when runs resume. The channels of the account setting agentAlarmChannelIds receive ' +
    'alarms of all kinds, but one message only where the same checks are also unknown for the same cause.',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(LocationAlarm),
  paged: true,
})
