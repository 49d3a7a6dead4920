// Check sessions and test sessions in one list.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { runSources } from './check-sessions.ts'
import { testSessionProviders } from './test-sessions.ts'

export const sessionKinds = ['check', 'test'] as const

/** Of both kinds. A check session that timed out has failed. */
export const sessionStates = ['running', 'passed', 'degraded', 'failed', 'cancelled'] as const

export type SessionState = (typeof sessionStates)[number]

const count = z.int().min(0)
const detail = z.string().nullable()

export const SessionEntry = z
  .object({
    id: Uuid,
    kind: z.enum(sessionKinds),
    name: z.string().describe('Of a check session: the name of the check'),
    state: z.enum(sessionStates),
    checkId: Uuid.nullable().describe('Of a check session'),
    checkType: CheckType.nullable().describe('Of a check session'),
    runSource: z.enum(runSources).nullable().describe('What started a check session'),
    provider: z.enum(testSessionProviders).nullable().describe('What started a test session'),
    locations: z.array(z.string()),
    expected: count.describe('The number of runs'),
    done: count.describe('Runs that are over'),
    failed: count,
    cancelled: count,
    branchName: detail,
    commitId: detail,
    commitMessage: detail,
    environment: detail,
    invoker: detail.describe('The user who started it, if one did'),
    startedAt: Timestamp,
    stoppedAt: Timestamp.nullable(),
  })
  .meta({ id: 'SessionEntry' })

export type SessionEntry = z.output<typeof SessionEntry>

const text = z.string().min(1).max(2000)

export const SessionQuery = CursorQuery.extend({
  kind: z.enum(sessionKinds).optional(),
  states: z.array(z.enum(sessionStates)).max(sessionStates.length).optional(),
  providers: z.array(z.enum(testSessionProviders)).max(20).optional().describe('Test sessions only'),
  branch: text.optional().describe('Test sessions only'),
  commit: text.optional().describe('The beginning of a commit id; test sessions only'),
  checkId: Uuid.optional().describe('Check sessions of this check only'),
  textSearch: text.optional().describe('In names, branches, commits and their messages'),
  from: UnixSeconds.optional().describe('Started at this UNIX time or later'),
  to: UnixSeconds.optional().describe('Started before this UNIX time'),
})

const tag = 'Sessions'

export const listSessions = route({
  method: 'GET',
  path: '/v1/sessions',
  tag,
  summary: 'List check sessions and test sessions, the latest first',
  description: 'Test sessions that are not recorded are omitted.',
  access: 'READ_ONLY',
  query: SessionQuery,
  status: 200,
  response: cursorPage(SessionEntry),
})

export const getSession = route({
  method: 'GET',
  path: '/v1/sessions/{sessionId}',
  tag,
  summary: 'Read which kind of session this is, and how far it is',
  access: 'READ_ONLY',
  params: z.object({ sessionId: Uuid }),
  status: 200,
  response: SessionEntry,
})
