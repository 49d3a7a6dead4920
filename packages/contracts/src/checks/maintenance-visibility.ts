// Which status pages show a maintenance window, and what it does there.
import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { Uuid } from '../core/fields.ts'
import { StatusPageIncidentSeverity } from '../pages/status-page-incidents.ts'

const Ids = z.array(Uuid.toLowerCase()).max(100).superRefine(refuseDuplicates)
const Reminders = z
  .array(
    z
      .int()
      .min(60)
      .max(7 * 24 * 60),
  )
  .max(3)
  .superRefine(refuseDuplicates)

export const MaintenanceVisibilityInput = z
  .object({
    enabled: z.boolean().default(false).describe('Whether status pages show the window'),
    severity: StatusPageIncidentSeverity.nullable().default(null).describe('The expected impact, as shown'),
    affectAllServices: z.boolean().default(false).describe('All services that the status pages show'),
    suppressAutoIncidents: z
      .boolean()
      .default(false)
      .describe('Failing checks open no incidents for the services while the window is open'),
    notifyOnStart: z.boolean().default(false).describe('Subscribers of the status pages receive an email'),
    notifyOnEnd: z.boolean().default(false).describe('Subscribers of the status pages receive an email'),
    reminderMinutesBefore: Reminders.default([]).describe('When subscribers receive an email in advance'),
    autoStart: z
      .boolean()
      .default(true)
      .describe(
        'False: the start is not announced by itself; services keep their state, and no email is sent',
      ),
    autoEnd: z.boolean().default(true).describe('False: no email about the end is sent'),
    showAffectedServices: z
      .boolean()
      .default(true)
      .describe('False: services are neither listed nor marked on status pages'),
    statusPageIds: Ids.default([]),
    serviceIds: Ids.default([]).describe('Ignored with affectAllServices'),
  })
  .superRefine((values, context) => {
    for (const { path, message } of visibilityIssues(values)) {
      context.addIssue({ code: 'custom', path, message })
    }
  })
  .meta({ id: 'MaintenanceVisibilityInput' })

export type MaintenanceVisibility = z.output<typeof MaintenanceVisibilityInput>

export const MaintenanceVisibilityRead = z
  .object({
    enabled: z.boolean(),
    severity: StatusPageIncidentSeverity.nullable(),
    affectAllServices: z.boolean(),
    suppressAutoIncidents: z.boolean(),
    notifyOnStart: z.boolean(),
    notifyOnEnd: z.boolean(),
    reminderMinutesBefore: z.array(z.int()),
    autoStart: z.boolean(),
    autoEnd: z.boolean(),
    showAffectedServices: z.boolean(),
    statusPageIds: z.array(Uuid),
    serviceIds: z.array(Uuid),
  })
  .meta({ id: 'MaintenanceVisibility' })

// choice: an empty list means none, so that deleting the last listed page doesn't publish a window on all others.
function visibilityIssues(values: MaintenanceVisibility): FieldIssue[] {
  const issues: FieldIssue[] = []
  if (!values.enabled) return issues
  if (values.statusPageIds.length === 0) {
    issues.push({ path: ['statusPageIds'], message: 'must name at least one status page when enabled' })
  }
  if (!values.affectAllServices && values.serviceIds.length === 0) {
    issues.push({
      path: ['serviceIds'],
      message: 'must name at least one service when enabled without affectAllServices',
    })
  }
  return issues
}

function refuseDuplicates(items: readonly unknown[], context: z.RefinementCtx): void {
  for (const [index, item] of items.entries()) {
    if (items.indexOf(item) < index)
      context.addIssue({ code: 'custom', path: [index], message: 'is listed twice' })
  }
}
