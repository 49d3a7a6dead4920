import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'

export const auditActions = ['create', 'update', 'delete', 'other'] as const
export type AuditAction = (typeof auditActions)[number]

/** What became of a request: `refused`, the role didn't allow it; `unknown`, the server ended before it was recorded. */
export const auditOutcomes = ['done', 'refused', 'failed', 'unknown'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export const AuditEntry = z
  .object({
    id: Uuid,
    created_at: Timestamp,
    actor: z.object({
      kind: z.enum(['user', 'service-key']),
      id: Uuid.describe('Of the user, or of the key'),
      name: z.string().nullable().describe('As it was then'),
    }),
    source: z.string().describe('app, or what the client calls itself; api if it says nothing'),
    address: z.string().nullable().describe('Where the request came from'),
    requestId: z.string(),
    operation: z.string().describe('Such as PUT /v1/checks/{id}'),
    summary: z.string().describe('The operation in words'),
    action: z.enum(auditActions),
    outcome: z
      .enum(auditOutcomes)
      .describe(
        'refused: the role does not allow it; failed: an error of the server; unknown: the server ended meanwhile',
      ),
    resource: z.object({
      kind: z.string().describe('As the reference groups operations'),
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    changes: z
      .array(
        z.object({
          field: z.string().describe('Such as request.url'),
          before: z.unknown().describe('null: it was not there'),
          after: z.unknown().describe('null: it is not there any more'),
        }),
      )
      .describe('As callers with READ_ONLY see them: never a secret value'),
  })
  .meta({ id: 'AuditEntry' })

export const listAuditEntries = route({
  method: 'GET',
  path: '/v1/audit-log',
  tag: 'Audit log',
  summary: 'List who changed what, latest first',
  description:
    'Every request that changes something, whoever sends it: the app, the API, command-line tools. Without `resourceId`, this ' +
    'requires ADMIN.',
  access: 'READ_ONLY',
  query: CursorQuery.extend({
    from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive'),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive'),
    resourceId: z.string().max(200).optional().describe('Only of this check, page, channel and so on'),
    actorId: Uuid.optional().describe('Only by this user or service key'),
    action: z.enum(auditActions).optional(),
    kind: z.string().max(100).optional().describe('Only of resources of this kind, such as Checks'),
    outcome: z.enum(auditOutcomes).optional(),
  }),
  status: 200,
  response: cursorPage(AuditEntry),
})
