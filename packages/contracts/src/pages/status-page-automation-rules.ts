// Rules that open and resolve incidents of a status page when checks fail and recover.
import { z } from 'zod'
import { ignoredField, Tags, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'

/** How bad an incident is for a component. */
export const ComponentImpact = z.enum(['DEGRADED_PERFORMANCE', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'])

export const rulesPerPage = 100

const RuleComponent = z
  .object({
    componentId: Uuid.describe('A component of this page; a group stands for all services in it'),
    targetImpact: ComponentImpact,
  })
  .meta({ id: 'StatusPageRuleComponent' })

const ignoredId = ignoredField({ type: 'string', format: 'uuid' })

const UpdateText = z.string().min(1).max(10_000)

export const StatusPageAutomationRuleInput = z
  .object({
    name: z.string().min(1).max(255).describe('Also the name of the incident'),
    enabled: z.boolean().default(true).describe('A disabled rule opens no incident'),
    tags: Tags.min(1).describe('The checks that have one of these tags, or whose group has one'),
    firstUpdate: UpdateText.describe('The update that opens the incident'),
    lastUpdate: UpdateText.describe('The update that resolves it'),
    notifySubscribers: z.boolean().default(true),
    coolDownWindowMinutes: z
      .int()
      .min(0)
      .max(1440)
      .default(5)
      .describe(
        'If a check fails again within this time, the incident is opened again instead of another one',
      ),
    components: z
      .array(RuleComponent)
      .min(1)
      .max(100)
      .superRefine((components, context) => {
        const seen = new Set<string>()
        for (const [index, { componentId }] of components.entries()) {
          const id = componentId.toLowerCase()
          if (seen.has(id)) {
            context.addIssue({ code: 'custom', path: [index, 'componentId'], message: 'is listed twice' })
          }
          seen.add(id)
        }
      }),
    id: ignoredId,
    statusPageId: ignoredId,
    created_at: ignoredField({ type: 'string', format: 'date-time' }),
    updated_at: ignoredField({ type: 'string', format: 'date-time', nullable: true }),
  })
  .meta({ id: 'StatusPageAutomationRuleInput' })

export const StatusPageAutomationRule = z
  .object({
    id: Uuid,
    statusPageId: Uuid,
    name: z.string(),
    enabled: z.boolean(),
    tags: z.array(z.string()),
    firstUpdate: z.string(),
    lastUpdate: z.string(),
    notifySubscribers: z.boolean(),
    coolDownWindowMinutes: z.int(),
    components: z.array(RuleComponent),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'StatusPageAutomationRule' })

const tag = 'Status page automation rules'
const pageParams = z.object({ statusPageId: Uuid })
const params = pageParams.extend({ ruleId: Uuid })

export const listStatusPageAutomationRules = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/automation-rules',
  tag,
  summary: 'List the automation rules of a status page',
  access: 'READ_ONLY',
  params: pageParams,
  status: 200,
  response: z.array(StatusPageAutomationRule),
})

export const getStatusPageAutomationRule = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/automation-rules/{ruleId}',
  tag,
  summary: 'Read an automation rule',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPageAutomationRule,
})

export const createStatusPageAutomationRule = route({
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/automation-rules',
  tag,
  summary: 'Add an automation rule to a status page',
  description:
    'When a check with one of the tags alerts, the rule opens an incident for its components. When all such checks have recovered, the rule resolves it. A page has at most 100 rules.',
  access: 'READ_WRITE',
  params: pageParams,
  body: StatusPageAutomationRuleInput,
  status: 201,
  response: StatusPageAutomationRule,
  errors: [409],
  example: {
    name: 'The API is down',
    tags: ['api'],
    firstUpdate: 'We are investigating errors of the API.',
    lastUpdate: 'The API works again.',
    components: [{ componentId: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11', targetImpact: 'MAJOR_OUTAGE' }],
  },
})

export const updateStatusPageAutomationRule = route({
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}/automation-rules/{ruleId}',
  tag,
  summary: 'Change an automation rule',
  description: 'An incident that it has opened stays as it is.',
  access: 'READ_WRITE',
  params,
  body: updateOf(StatusPageAutomationRuleInput),
  status: 200,
  response: StatusPageAutomationRule,
  example: { enabled: false },
})

export const deleteStatusPageAutomationRule = route({
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}/automation-rules/{ruleId}',
  tag,
  summary: 'Delete an automation rule',
  description: 'An incident that it has opened stays, and is not resolved automatically.',
  access: 'READ_WRITE',
  params,
  status: 204,
})
