import { z } from 'zod'
import { AlertSettings, defaultAlertSettings } from '../alerts/alert-settings.ts'
import type { FieldIssue } from '../core/errors.ts'
import { addition, BasicAuth, KeyValue, SerialId, Tags, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'
import { LocationId } from '../runs/locations.ts'
import { RuntimeId } from '../runs/runtime-ids.ts'
import { AlertChannelSubscription, coreFields } from './base.ts'
import { CheckVariables, CheckVariablesRead, variableIssues } from './check-variables.ts'
import { ApiAssertion } from './http-checks.ts'
import { Check } from './index.ts'
import { isRequestUrl } from './request-fields.ts'
import { RetryStrategy } from './retry-strategy.ts'

const GroupKeyValue = KeyValue.extend({ value: KeyValue.shape.value.default('') }).meta({
  id: 'CheckGroupKeyValue',
})

const GroupBasicAuth = z
  .object({
    username: BasicAuth.shape.username.default(''),
    password: BasicAuth.shape.password.default(''),
  })
  .meta({ id: 'CheckGroupBasicAuth' })

/** What the requests of its checks inherit; GROUP_BASE_URL is its url. */
export const CheckGroupApiDefaults = z
  .object({
    url: z
      .string()
      .max(2048)
      .regex(/^($|https?:\/\/[^\s/?#]|[^:]*\{\{)/i, 'must be an http or https URL')
      .refine((url) => url === '' || isRequestUrl(url), 'must be an http or https URL')
      .nullable()
      .default(''),
    headers: z.array(GroupKeyValue).max(200).default([]),
    queryParameters: z.array(GroupKeyValue).max(200).default([]),
    assertions: z.array(ApiAssertion).max(200).default([]),
    basicAuth: GroupBasicAuth.nullable().default(null),
  })
  .meta({ id: 'CheckGroupApiDefaults' })

const Script = z.string().max(1_000_000).nullable()

const GroupRetryStrategy = z.union([RetryStrategy, z.literal('FALLBACK')]).nullable()

const shared = {
  name: z.string().min(1).max(500),
  activated: z.boolean().default(true),
  muted: z.boolean().default(false),
  // Without a default: a deployment that doesn't know the field must not end a mute.
  mutedUntil: addition(
    Timestamp.nullable()
      .optional()
      .describe(
        'Until when the alerts of its checks are silenced, also if `muted` is false: a time in the future, at most a year. ' +
          'null ends it. The channels of checks that still fail then are notified once',
      ),
  ),
  tags: Tags.default([]),
  locations: z.array(LocationId).max(100).default([]),
  privateLocations: z.array(z.string().min(1).max(200)).max(100).nullable().default([]).describe('Slugs'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(3)
    .describe('How many checks run at once when the group is triggered'),
  apiCheckDefaults: CheckGroupApiDefaults.default({
    url: '',
    headers: [],
    queryParameters: [],
    assertions: [],
    basicAuth: null,
  }),
  browserCheckDefaults: z.string().max(100_000).default(''),
  environmentVariables: CheckVariables.nullable().default([]),
  runtimeId: RuntimeId.nullable().default(null),
  alertChannelSubscriptions: coreFields.alertChannelSubscriptions,
  setupSnippetId: SerialId.nullable().default(null),
  tearDownSnippetId: SerialId.nullable().default(null),
  localSetupScript: Script.default(null),
  localTearDownScript: Script.default(null),
}

/** Every setting has a value and takes precedence over those of the checks. */
const CheckGroupFields = z.object({
  ...shared,
  doubleCheck: z.boolean().default(true),
  runParallel: z.boolean().default(false),
  useGlobalAlertSettings: z.boolean().default(true),
  alertSettings: AlertSettings.nullable().default(defaultAlertSettings),
  retryStrategy: GroupRetryStrategy.default(null),
})

/** Null, an empty list or FALLBACK: the group doesn't enforce it, and each check decides. */
const CheckGroupFieldsV2 = z.object({
  ...shared,
  doubleCheck: z.boolean().default(false),
  runParallel: z.boolean().nullable().default(null),
  useGlobalAlertSettings: z.boolean().nullable().default(null),
  alertSettings: AlertSettings.nullable().default(null),
  retryStrategy: GroupRetryStrategy.default('FALLBACK'),
})

export type CheckGroupValues = z.output<typeof CheckGroupFieldsV2>

/** What is stored as JSON instead of in columns. */
export type CheckGroupSettings = Pick<
  CheckGroupValues,
  | 'apiCheckDefaults'
  | 'browserCheckDefaults'
  | 'environmentVariables'
  | 'localSetupScript'
  | 'localTearDownScript'
>

/** The rules between fields, on a whole group: as created, or as it will be after an update. */
export function checkGroupIssues(values: { environmentVariables?: unknown }): FieldIssue[] {
  return variableIssues(values.environmentVariables)
}

export const CheckGroupInput = withRules(CheckGroupFields).meta({ id: 'CheckGroupInput' })
export const CheckGroupInputV2 = withRules(CheckGroupFieldsV2).meta({ id: 'CheckGroupInputV2' })
export const CheckGroupUpdate = updateOf(CheckGroupFields).meta({ id: 'CheckGroupUpdate' })
export const CheckGroupUpdateV2 = updateOf(CheckGroupFieldsV2).meta({ id: 'CheckGroupUpdateV2' })

function withRules<I extends z.ZodObject>(input: I): I {
  return input.superRefine(
    (values, context) => {
      for (const issue of checkGroupIssues(values)) context.addIssue({ code: 'custom', ...issue })
    },
    // Also if other fields are wrong: a response names all of them.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}

export const CheckGroup = z
  .object({
    id: SerialId,
    name: z.string(),
    activated: z.boolean(),
    muted: z.boolean(),
    mutedUntil: addition(Timestamp.nullable()),
    tags: z.array(z.string()),
    locations: z.array(LocationId),
    privateLocations: z.array(z.string()).nullable(),
    concurrency: z.int(),
    apiCheckDefaults: CheckGroupApiDefaults,
    browserCheckDefaults: z.string(),
    environmentVariables: CheckVariablesRead.nullable(),
    runtimeId: RuntimeId.nullable(),
    doubleCheck: z.boolean(),
    runParallel: z.boolean().nullable(),
    useGlobalAlertSettings: z.boolean().nullable(),
    alertSettings: AlertSettings.optional().describe('Absent: not enforced, each check decides'),
    retryStrategy: GroupRetryStrategy,
    alertChannelSubscriptions: z.array(AlertChannelSubscription),
    setupSnippetId: SerialId.nullable(),
    tearDownSnippetId: SerialId.nullable(),
    localSetupScript: Script,
    localTearDownScript: Script,
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'CheckGroup' })

const tag = 'Check groups'
const params = z.object({ id: SerialId })
const memberParams = z.object({ groupId: SerialId, checkId: Uuid })
const assignQuery = z.object({
  autoAssignAlerts: z
    .boolean()
    .optional()
    .meta({
      default: true,
      description:
        'Whether a new group is subscribed to all existing alert channels. When absent, alertChannelSubscriptions ' +
        'in the body, also an empty list, is used instead.',
    }),
})
const example = { name: 'Shop', tags: ['shop'], locations: ['eu-central-1'], concurrency: 2 }
const exampleV2 = {
  name: 'Shop',
  locations: ['eu-central-1', 'us-east-1'],
  runParallel: true,
  retryStrategy: 'FALLBACK',
  environmentVariables: [{ key: 'SHOP_TOKEN', value: 'a token', secret: true }],
  apiCheckDefaults: { url: 'https://shop.example.com', headers: [{ key: 'x-from', value: 'vedette' }] },
}

export const listCheckGroups = route({
  method: 'GET',
  path: '/v1/check-groups',
  tag,
  summary: 'List check groups',
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    tag: z.array(z.string().max(200)).max(100).optional().describe('Groups with any of these tags'),
    name: z.array(z.string().max(500)).max(100).optional().describe('Groups with exactly one of these names'),
  }),
  status: 200,
  response: z.array(CheckGroup),
  paged: true,
})

export const getCheckGroup = route({
  method: 'GET',
  path: '/v1/check-groups/{id}',
  tag,
  summary: 'Read a check group',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: CheckGroup,
})

export const createCheckGroup = route({
  method: 'POST',
  path: '/v1/check-groups',
  tag,
  summary: 'Create a check group whose settings all take precedence over those of its checks',
  access: 'READ_WRITE',
  query: assignQuery,
  body: CheckGroupInput,
  bodyLimit: 'setting',
  status: 201,
  response: CheckGroup,
  errors: [402],
  deprecated: true,
  example,
})

export const updateCheckGroup = route({
  method: 'PUT',
  path: '/v1/check-groups/{id}',
  tag,
  summary: 'Update a check group',
  access: 'READ_WRITE',
  params,
  query: assignQuery,
  body: CheckGroupUpdate,
  bodyLimit: 'setting',
  acceptsIfMatch: true,
  status: 200,
  response: CheckGroup,
  deprecated: true,
  example: { muted: true },
})

export const createCheckGroupV2 = route({
  method: 'POST',
  path: '/v2/check-groups',
  tag,
  summary: 'Create a check group',
  description: "Settings that are null, empty or FALLBACK aren't enforced: each check of the group decides.",
  access: 'READ_WRITE',
  query: assignQuery,
  body: CheckGroupInputV2,
  bodyLimit: 'setting',
  status: 201,
  response: CheckGroup,
  errors: [402],
  example: exampleV2,
})

export const updateCheckGroupV2 = route({
  method: 'PUT',
  path: '/v2/check-groups/{id}',
  tag,
  summary: 'Update a check group',
  access: 'READ_WRITE',
  params,
  query: assignQuery,
  body: CheckGroupUpdateV2,
  bodyLimit: 'setting',
  acceptsIfMatch: true,
  status: 200,
  response: CheckGroup,
  example: { runParallel: null },
})

export const deleteCheckGroup = route({
  method: 'DELETE',
  path: '/v1/check-groups/{id}',
  tag,
  summary: 'Delete a check group that has no checks',
  access: 'READ_WRITE',
  params,
  status: 204,
  errors: [409],
})

const listMembers = {
  method: 'GET',
  tag,
  summary: 'List the checks of a group, with the settings of the group',
  access: 'READ_ONLY',
  params,
  query: PagedQuery,
  status: 200,
  response: z.array(Check),
  paged: true,
} as const

const getMember = {
  method: 'GET',
  tag,
  summary: 'Read a check of a group, with the settings of the group',
  access: 'READ_ONLY',
  params: memberParams,
  status: 200,
  response: Check,
} as const

export const listCheckGroupChecks = route({ ...listMembers, path: '/v1/check-groups/{id}/checks' })
export const listCheckGroupChecksV2 = route({ ...listMembers, path: '/v2/check-groups/{id}/checks' })
export const getCheckGroupCheck = route({ ...getMember, path: '/v1/check-groups/{groupId}/checks/{checkId}' })
export const getCheckGroupCheckV2 = route({
  ...getMember,
  path: '/v2/check-groups/{groupId}/checks/{checkId}',
})
