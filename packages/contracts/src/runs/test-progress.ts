// The progress of a test session, as server-sent events.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { LogLine } from '../results/check-result-detail.ts'
import { TestSession } from './test-sessions.ts'

export const TestRunProgress = z
  .object({
    testSessionResultId: Uuid,
    sequenceId: Uuid,
    checkId: Uuid.nullable().describe('Null: a draft of a new check'),
    checkType: CheckType,
    name: z.string(),
    runLocation: z.string(),
    state: z
      .enum(['waiting', 'running', 'retrying', 'ended'])
      .describe('waiting: for an agent; retrying: waits for the next attempt'),
    attempt: z.int().min(0).describe('The attempt that runs or is next, or the last one; 0: none began'),
    agentName: z.string().nullable().describe('The agent that runs it, or ran it'),
    status: TestSession.shape.status,
    responseTime: z.number().nullable(),
    startedAt: Timestamp.nullable(),
    stoppedAt: Timestamp.nullable(),
    scheduleError: z.string().nullable().describe('Why there was no run'),
  })
  .meta({ id: 'TestRunProgress' })

export const TestSessionProgress = z
  .object({
    status: TestSession.shape.status,
    stoppedAt: Timestamp.nullable(),
    runs: z.array(TestRunProgress).describe('In the first message all, then those that changed'),
    logs: z
      .array(z.object({ sequenceId: Uuid, attempt: z.int().min(1), lines: z.array(LogLine) }))
      .describe('New lines of code runs in progress'),
  })
  .meta({ id: 'TestSessionProgress' })

export const watchTestSession = route({
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/events',
  tag: 'Test sessions',
  summary: 'Follow a test session',
  description:
    'Server-sent events, at most one a second: `progress` whenever something changed, and `end` when the session is over, ' +
    'which closes the stream. Their data is this document. Runs of code send their log while they run, if their agent ' +
    'supports it; the result has the whole log. Send the id of the last event as Last-Event-ID to receive only the lines ' +
    'after it. A comment every 15 seconds keeps the connection open.',
  access: 'READ_ONLY',
  params: z.object({ testSessionId: Uuid }),
  status: 200,
  response: TestSessionProgress,
  contentType: 'text/event-stream',
})
