// What several check types share: fields as created, fields as read, and rules between fields.
// A type spreads the groups of fields that it has; other fields are ignored like unknown ones.
import { z } from 'zod'
import { AlertSettings, defaultAlertSettings } from '../alerts/alert-settings.ts'
import type { FieldIssue } from '../core/errors.ts'
import { addition, KeyValue, SerialId, Tags, Timestamp, Uuid } from '../core/fields.ts'
import { type UpdateShape, updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'
import { stateFields, UnknownAfterMissedRuns } from '../results/check-state.ts'
import { LocationId } from '../runs/locations.ts'
import { RuntimeId } from '../runs/runtime-ids.ts'
import { variableIssues } from './check-variables.ts'
import type { CheckValues } from './definition.ts'
import { FrequencyOffset, frequencyIssues } from './frequency.ts'
import { RetryStrategy } from './retry-strategy.ts'
import { scriptPath, scriptPathRule } from './script-path.ts'

export const AlertChannelSubscription = z
  .object({ alertChannelId: SerialId, activated: z.boolean().default(true) })
  .meta({ id: 'CheckAlertChannelSubscription' })

const AlertChannelSubscriptions = z
  .array(AlertChannelSubscription)
  .max(1000)
  .superRefine((subscriptions, context) => {
    const seen = new Set<number>()
    for (const [index, { alertChannelId }] of subscriptions.entries()) {
      const path = [index, 'alertChannelId']
      if (seen.has(alertChannelId)) context.addIssue({ code: 'custom', path, message: 'must be unique' })
      seen.add(alertChannelId)
    }
  })

const TriggerIncident = z
  .object({
    serviceId: Uuid.toLowerCase(),
    severity: z.enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR']).default('MAJOR'),
    name: z.string().min(1).max(500),
    description: z.string().max(10_000),
    notifySubscribers: z.boolean().default(false),
  })
  .meta({ id: 'TriggerIncident' })

export type TriggerIncident = z.output<typeof TriggerIncident>

const Intent = z
  .object({
    goal: z.string().min(1).max(2000),
    constraints: z
      .array(z.object({ type: z.string().min(1).max(100), statement: z.string().min(1).max(1000) }))
      .max(100)
      .default([]),
  })
  .meta({ id: 'CheckIntent' })

/** All types. */
export const coreFields = {
  name: z.string().min(1).max(500),
  activated: z.boolean().default(true).describe('Whether it runs'),
  muted: z.boolean().default(false).describe('Whether its alerts are silenced'),
  // Without a default: a deployment that doesn't know the field must not end a mute.
  mutedUntil: addition(
    Timestamp.nullable()
      .optional()
      .describe(
        'Until when its alerts are silenced, also if `muted` is false: a time in the future, at most a year. null ends it. ' +
          'If the check still fails then, its channels are notified once',
      ),
  ),
  locations: z.array(LocationId).max(100).nullable().default([]),
  tags: Tags.default([]),
  alertSettings: AlertSettings.nullable().default(defaultAlertSettings),
  useGlobalAlertSettings: z
    .boolean()
    .default(true)
    .describe('Whether the alert settings of the account apply instead'),
  groupId: SerialId.nullable().default(null),
  groupOrder: z.int().min(0).max(2_147_483_647).nullable().default(null).describe('Order inside the group'),
  alertChannelSubscriptions: AlertChannelSubscriptions.optional().describe(
    'Used instead of all channels, unless autoAssignAlerts=true is sent; channels with autoSubscribe are added',
  ),
  description: z.string().max(500).nullable().default(null),
  intent: addition(
    Intent.nullable().default(null).describe('What the check is for, in words: kept for people and models'),
  ),
  unknownAfterMissedRuns: addition(
    UnknownAfterMissedRuns.nullable()
      .default(null)
      .describe(
        'After how many missed runs in a row the state is unknown, at the earliest after 60 seconds; null: the setting of ' +
          'the account. Heartbeat monitors have deadlines instead',
      ),
  ),
}

/** All but agentic checks. */
export const placementFields = {
  privateLocations: z
    .array(z.string().min(1).max(200))
    .max(100)
    .nullable()
    .default([])
    .describe('Slugs of private locations'),
  runParallel: z.boolean().default(false).describe('Whether all locations run at once'),
  triggerIncident: TriggerIncident.nullable().default(null),
}

/** What a failure is, and what follows it. */
export const retryFields = {
  doubleCheck: z
    .boolean()
    .default(true)
    .describe('Deprecated: one retry from another location, where there is no retryStrategy'),
  shouldFail: z.boolean().default(false).describe('Whether the check is expected to fail'),
  retryStrategy: RetryStrategy.nullable().default(null),
}

export const runtimeFields = { runtimeId: RuntimeId.nullable().default(null) }

export const offsetField = {
  frequencyOffset: FrequencyOffset.nullable()
    .optional()
    .describe('When within the period it runs; at frequency 0 the seconds between runs'),
}

/** Absent if it isn't set. */
export const offsetReadField = { frequencyOffset: FrequencyOffset.optional() }

const CheckDependency = z.object({ path: z.string(), content: z.string() }).meta({ id: 'CheckDependency' })

const ScriptPath = z
  .string()
  .max(1000)
  .refine((path) => scriptPath(path) !== null, scriptPathRule)

const CheckDependencyInput = z
  .object({
    path: ScriptPath.describe(
      'Relative to the directory that scriptPath is relative to; not in node_modules or .vedette',
    ),
    content: z.string().max(5_000_000),
  })
  .meta({ id: 'CheckDependencyInput' })

/** Files of script checks. spec §2.2: request only; read with includeDependencies. */
export const scriptFileFields = {
  scriptPath: ScriptPath.nullable()
    .default(null)
    .describe('Path of the script among its dependencies; not in node_modules or .vedette'),
  dependencies: z
    .array(CheckDependencyInput)
    .max(1000)
    .nullable()
    .default(null)
    .describe('Files that the script imports'),
}

export const scriptFileReadFields = {
  scriptPath: z.string().nullable().optional(),
  dependencies: z.array(CheckDependency).nullable().optional(),
}

const ScriptFiles = z.array(CheckDependencyInput).max(1000).nullable().default(null)

/** Files of setup and teardown scripts, as clients deploy them. */
export const hookFileFields = {
  setupScriptPath: addition(scriptFileFields.scriptPath.describe('Path of the setup script among its files')),
  setupScriptDependencies: addition(ScriptFiles.describe('Files that the setup script imports')),
  tearDownScriptPath: addition(
    scriptFileFields.scriptPath.describe('Path of the teardown script among its files'),
  ),
  tearDownScriptDependencies: addition(ScriptFiles.describe('Files that the teardown script imports')),
}

export const hookFileReadFields = {
  setupScriptPath: addition(z.string().nullable().optional()),
  setupScriptDependencies: addition(z.array(CheckDependency).nullable().optional()),
  tearDownScriptPath: addition(z.string().nullable().optional()),
  tearDownScriptDependencies: addition(z.array(CheckDependency).nullable().optional()),
}

const Snapshot = z.object({ key: z.string().min(1).max(500), path: ScriptPath }).meta({ id: 'CheckSnapshot' })

/** What clients deploy with a script for Playwright. */
export const playwrightFields = {
  playwrightConfig: addition(
    z
      .looseObject({})
      .refine((config) => JSON.stringify(config).length <= 100_000, 'must be at most 100,000 characters')
      .nullable()
      .default(null)
      .describe('Settings of Playwright, as in its configuration file'),
  ),
  snapshots: addition(
    z.array(Snapshot).max(1000).nullable().default(null).describe('Uploaded pictures to compare with'),
  ),
  aiAutoRepairEnabled: addition(
    z.boolean().default(false).describe('Kept for clients that send it: nothing repairs scripts'),
  ),
}

export const playwrightReadFields = {
  playwrightConfig: addition(z.looseObject({}).nullable().optional()),
  snapshots: addition(
    z
      .array(z.object({ key: z.string(), path: z.string() }))
      .nullable()
      .optional(),
  ),
  aiAutoRepairEnabled: addition(z.boolean().optional()),
}

const KeepEvidence = z.enum(['FAILING', 'ALWAYS'])

export const evidenceField = {
  keepEvidence: addition(
    KeepEvidence.default('FAILING').describe(
      'Which runs keep their trace and a screenshot: failing ones, or all, which takes disk space and some time per run',
    ),
  ),
}
export const evidenceReadField = { keepEvidence: addition(KeepEvidence.optional()) }

const KeptResponseTime = z
  .number()
  .min(0)
  .max(300_000)
  .describe('Milliseconds; kept, but runs are not judged by it')

/** Milliseconds; null disables the threshold. */
export const responseTimes = (limits: { degraded: number; max: number; limit: number }) => ({
  degradedResponseTime: z.number().min(0).max(limits.limit).nullable().default(limits.degraded),
  maxResponseTime: z.number().min(0).max(limits.limit).nullable().default(limits.max),
})

/**
 * Of checks that run code. Runs aren't judged by them: their scripts have timeouts. Clients that manage checks as code always
 * send both and compare what they read back.
 */
export const keptResponseTimes = {
  degradedResponseTime: addition(KeptResponseTime.nullable().optional()),
  maxResponseTime: addition(KeptResponseTime.nullable().optional()),
}

/** The old summary of the channels that are subscribed to a check. */
export const AlertChannelSummary = z
  .object({
    email: z.array(z.object({ address: z.string() })),
    webhook: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        method: z.string().nullable(),
        headers: z.array(KeyValue),
        queryParameters: z.array(KeyValue),
      }),
    ),
    slack: z.array(z.object({ url: z.string() })),
    sms: z.array(z.object({ number: z.string(), name: z.string() })),
  })
  .meta({ id: 'AlertChannelSummary' })

/** The fields of a create body as they are read: all present, without defaults. */
export function readOf<S extends z.core.$ZodLooseShape>(input: z.ZodObject<S>) {
  const fields = Object.entries(updateOf(input).shape).map(([name, field]) => [name, field.unwrap()])
  return {
    id: Uuid,
    ...(Object.fromEntries(fields) as ReadShape<S>),
    // Clients dereference it without a check.
    alertSettings: AlertSettings,
    alertChannels: AlertChannelSummary,
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
    ...stateFields,
  }
}

type ReadShape<S> = {
  [K in keyof S]: UpdateShape<S>[K] extends z.ZodOptional<infer I> ? I : never
}

/** For types without frequency 0: their schema refuses it, so the rule about its offset must not apply. */
export function minuteIssues(values: CheckValues): FieldIssue[] {
  return sharedIssues(values.frequency === 0 ? { ...values, frequency: undefined } : values)
}

export function sharedIssues(values: CheckValues): FieldIssue[] {
  const issues = [
    ...frequencyIssues(values.frequency, values.frequencyOffset),
    ...variableIssues(values.environmentVariables),
  ]
  if (values.alertSettings === null && values.useGlobalAlertSettings === false) {
    issues.push({
      path: ['alertSettings'],
      message: 'must not be null when useGlobalAlertSettings is false',
    })
  }
  return issues
}
