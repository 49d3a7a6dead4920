import { z } from 'zod'
import { dayMs } from '../core/durations.ts'
import type { FieldIssue } from '../core/errors.ts'
import { addition, DateInput, instantOf, SerialId, Tags, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { updateOf } from '../core/update.ts'
import { isTimezone } from '../core/wall-clock.ts'
import { projectFields } from '../projects/project-binding.ts'
import { MaintenanceVisibilityInput, MaintenanceVisibilityRead } from './maintenance-visibility.ts'

const RepeatUnit = z.enum(['DAY', 'WEEK', 'MONTH'])

export const MaintenanceWindow = z
  .object({
    id: SerialId,
    name: z.string(),
    tags: Tags,
    startsAt: Timestamp,
    endsAt: Timestamp,
    repeatInterval: z.int().nullable(),
    repeatUnit: RepeatUnit.nullable(),
    repeatEndsAt: Timestamp.nullable(),
    pauseAllChecks: z.boolean(),
    silenceAllAlerts: z.boolean(),
    silenceAlertsTags: Tags,
    timezone: addition(z.string().nullable()),
    description: addition(z.string().nullable()),
    statusPageVisibility: addition(MaintenanceVisibilityRead.nullable()),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'MaintenanceWindow' })

const fields = z.object({
  name: z.string().min(1).max(200),
  tags: Tags.default([]).describe('Checks and groups with one of these tags are paused'),
  startsAt: DateInput,
  endsAt: DateInput,
  repeatInterval: z
    .int()
    .min(1)
    .max(365)
    .nullable()
    .default(null)
    .describe('In units of repeatUnit; null: once'),
  repeatUnit: RepeatUnit.nullable().default(null),
  repeatEndsAt: DateInput.nullable().default(null).describe('No repetition begins from then on'),
  pauseAllChecks: z.boolean().default(false),
  silenceAllAlerts: z.boolean().default(false),
  silenceAlertsTags: Tags.default([]).describe('Checks and groups with one of these tags send no alerts'),
  timezone: z
    .string()
    .max(100)
    .refine(isTimezone, 'must be the IANA name of a time zone, such as Europe/Berlin')
    .nullable()
    .default(null)
    .describe('Repeats keep their wall-clock time in this zone; null: UTC'),
  description: z.string().max(2000).nullable().default(null).describe('Shown on status pages'),
  statusPageVisibility: MaintenanceVisibilityInput.nullable()
    .default(null)
    .describe('Replaced as a whole; null: no status page shows the window'),
})

export type MaintenanceWindowValues = z.output<typeof fields>

export const MaintenanceWindowInput = fields
  .superRefine((values, context) => {
    for (const { path, message } of maintenanceWindowIssues(values)) {
      context.addIssue({ code: 'custom', path, message })
    }
  })
  .meta({ id: 'MaintenanceWindowInput' })

export const MaintenanceWindowUpdate = updateOf(fields).meta({ id: 'MaintenanceWindowUpdate' })

/** Must hold for what is stored after a create or an update. */
export function maintenanceWindowIssues(
  values: Pick<
    MaintenanceWindowValues,
    'startsAt' | 'endsAt' | 'repeatInterval' | 'repeatUnit' | 'repeatEndsAt' | 'statusPageVisibility'
  >,
): FieldIssue[] {
  const issues: FieldIssue[] = []
  const endsAt = instantOf(values.endsAt)
  if (endsAt <= instantOf(values.startsAt))
    issues.push({ path: ['endsAt'], message: 'must be after startsAt' })
  // Not the reverse: existing clients send a unit with every window, also if it doesn't repeat.
  if (values.repeatInterval !== null && values.repeatUnit === null) {
    issues.push({ path: ['repeatUnit'], message: 'is required with repeatInterval' })
  }
  if (values.repeatEndsAt !== null && instantOf(values.repeatEndsAt) <= endsAt) {
    issues.push({ path: ['repeatEndsAt'], message: 'must be after endsAt' })
  }
  const isPublished = values.statusPageVisibility?.enabled ?? false
  if (isPublished && endsAt.getTime() - instantOf(values.startsAt).getTime() > maxPublishedDays * dayMs) {
    const message = `must be at most ${maxPublishedDays} days after startsAt, because status pages show the window`
    issues.push({ path: ['endsAt'], message })
  }
  return issues
}

/** Bounds how many occurrences of a repeating window overlap. */
const maxPublishedDays = 90

const DateFilter = z
  .object({
    gt: DateInput.optional(),
    gte: DateInput.optional(),
    lt: DateInput.optional(),
    lte: DateInput.optional(),
  })
  .optional()

const tag = 'Maintenance windows'
const params = z.object({ id: SerialId })

export const listMaintenanceWindows = route({
  method: 'GET',
  path: '/v1/maintenance-windows',
  tag,
  summary: 'List maintenance windows',
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    startsAt: DateFilter.describe('startsAt[gte]=2026-11-15'),
    endsAt: DateFilter.describe('endsAt[lt]=2026-11-16'),
  }),
  status: 200,
  response: z.array(MaintenanceWindow),
  paged: true,
})

export const getMaintenanceWindow = route({
  method: 'GET',
  path: '/v1/maintenance-windows/{id}',
  tag,
  summary: 'Read a maintenance window',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: MaintenanceWindow,
})

export const createMaintenanceWindow = route({
  method: 'POST',
  path: '/v1/maintenance-windows',
  tag,
  summary: 'Create a maintenance window',
  access: 'READ_WRITE',
  body: MaintenanceWindowInput,
  status: 201,
  response: MaintenanceWindow,
  example: {
    name: 'Weekly release',
    tags: ['web'],
    startsAt: '2026-11-20T08:00:00Z',
    endsAt: '2026-11-20T09:00:00Z',
    repeatInterval: 1,
    repeatUnit: 'WEEK',
    repeatEndsAt: '2027-11-20T08:00:00Z',
    timezone: 'Europe/Berlin',
  },
})

export const updateMaintenanceWindow = route({
  method: 'PUT',
  path: '/v1/maintenance-windows/{id}',
  tag,
  summary: 'Update a maintenance window',
  access: 'READ_WRITE',
  params,
  body: MaintenanceWindowUpdate,
  status: 200,
  response: MaintenanceWindow,
  example: { silenceAllAlerts: true },
})

export const deleteMaintenanceWindow = route({
  method: 'DELETE',
  path: '/v1/maintenance-windows/{id}',
  tag,
  summary: 'Delete a maintenance window',
  access: 'READ_WRITE',
  params,
  status: 204,
})

/** A calendar of three months fits. */
export const occurrenceLimits = { days: 100, occurrences: 2000 } as const

const period = { startsAt: Timestamp, endsAt: Timestamp }

export const listMaintenanceOccurrences = route({
  method: 'GET',
  path: '/v1/maintenance-windows/occurrences',
  tag,
  summary: 'List the times at which maintenance windows are open',
  description:
    `In a range of at most ${occurrenceLimits.days} days, in order; at most ${occurrenceLimits.occurrences}. ` +
    'Repeats follow the time zone of their window.',
  access: 'READ_ONLY',
  query: z.object({
    from: UnixSeconds.describe('UNIX time in seconds, inclusive'),
    to: UnixSeconds.describe('UNIX time in seconds, exclusive'),
  }),
  status: 200,
  response: z.array(
    z.object({ maintenanceWindowId: SerialId, ...period }).meta({ id: 'MaintenanceOccurrence' }),
  ),
})

const AffectedChecks = z
  .object({
    total: z.int(),
    checks: z.array(z.object({ id: Uuid, name: z.string() })).describe('The first fifty, by name'),
  })
  .meta({ id: 'MaintenanceAffectedChecks' })

export const MaintenancePreview = z
  .object({
    isOpen: z.boolean().describe('Whether it is open now'),
    occurrences: z.array(z.object(period)).describe('The one that is open, and those to come: ten at most'),
    paused: AffectedChecks,
    silenced: AffectedChecks,
  })
  .meta({ id: 'MaintenancePreview' })

export const previewMaintenanceWindow = route({
  method: 'POST',
  path: '/v1/maintenance-windows/preview',
  tag,
  summary: 'See when a maintenance window is open and which checks it affects',
  description: "The window needn't be stored, and isn't.",
  access: 'READ_ONLY',
  changesNothing: true,
  body: MaintenanceWindowInput,
  status: 200,
  response: MaintenancePreview,
  example: {
    name: 'Weekly release',
    tags: ['web'],
    startsAt: '2026-11-20T08:00:00Z',
    endsAt: '2026-11-20T09:00:00Z',
  },
})
