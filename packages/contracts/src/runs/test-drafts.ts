// Test sessions of drafts: checks that aren't stored, run before they are saved or deployed.
import { z } from 'zod'
import { CheckDraft, CheckDraftShown, checkTypes, definitionOf } from '../checks/index.ts'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { TestSession, TestSessionTrigger } from './test-sessions.ts'

const TestDraft = z
  .object({
    check: CheckDraft.superRefine(({ checkType }, context) => {
      if (definitionOf(checkType).capacity !== null) return
      const message = "can't be run: heartbeat monitors wait for pings"
      context.addIssue({ code: 'custom', path: ['checkType'], message })
    }),
    checkId: Uuid.optional().describe(
      'The stored check that is being edited. Secrets that are omitted or masked are taken from it.',
    ),
  })
  .meta({ id: 'TestDraft' })

const shared = TestSessionTrigger.omit({ name: true, runLocation: true, target: true })

const DraftSession = shared
  .extend({
    name: TestSessionTrigger.shape.name.optional().describe('When absent, the name of the first check'),
    drafts: z
      .array(TestDraft)
      .min(1)
      .max(1000)
      .describe('Whole checks, as the routes that create them accept them, each with its checkType'),
    locations: z
      .array(TestSessionTrigger.shape.runLocation)
      .min(1)
      .max(100)
      .optional()
      .describe('Used instead of the locations of the checks'),
    shouldRecord: z
      .boolean()
      .default(false)
      .describe('Whether the session is listed and kept like other test sessions'),
  })
  .meta({ id: 'TestSessionDrafts' })

export type DraftSessionRequest = z.output<typeof DraftSession>

const StartedDrafts = TestSession.extend({
  runs: z.array(
    z.object({
      draft: z.int().min(0).describe('The index of its draft in the request'),
      testSessionResultId: Uuid,
      sequenceId: Uuid,
      runLocation: z.string(),
    }),
  ),
}).meta({ id: 'StartedTestSessionDrafts' })

const { API } = checkTypes

export const runDrafts = route({
  method: 'POST',
  path: '/v1/test-sessions/drafts',
  tag: 'Test sessions',
  summary: 'Run checks that are not stored',
  description:
    'Runs each check once in each of its locations, as a test session: no alerts, and nothing in results, statuses or ' +
    'analytics. The checks are stored sealed, and only until the session is over. Unless shouldRecord is set, the session ' +
    'is not listed, and is deleted with its results and files an hour after its end.',
  // Like creating a check: a check can send the secrets of the account anywhere.
  access: 'READ_WRITE',
  body: DraftSession,
  documentedBody: DraftSession.extend({
    drafts: z.array(TestDraft.extend({ check: CheckDraftShown }).meta({ id: 'TestDraft' })),
  }).meta({ id: 'TestSessionDrafts' }),
  bodyLimit: 'setting',
  status: 201,
  response: StartedDrafts,
  errors: [402],
  example: {
    drafts: [{ check: { ...API.example, checkType: API.type } }],
    locations: ['eu-central-1'],
    environmentVariables: [{ key: 'SHOP_URL', value: 'https://staging.example.com' }],
  },
})
