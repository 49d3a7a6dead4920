import { z } from 'zod'
import { AccessKey, HttpUrl, IssuedKey, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'

/** The pattern of data-center regions, which slugs of private locations must not match: they end with one digit. */
const regionPattern = /^[a-z]{2}(-[a-z]+)+-\d$/i

export const PrivateLocationSlug = z
  .string()
  .min(1)
  .max(30)
  .regex(/^[a-zA-Z0-9-]*$/, 'must be letters, digits and hyphens')
  .refine((slug) => !regionPattern.test(slug), 'must not look like a data-center region')

const ProxyUrl = z
  .string()
  .max(2048)
  .refine(isProxyUrl, 'must be an http or https URL; variables are written as {{NAME}}')
  .describe(
    'Proxy of API and uptime checks; may contain credentials, which are masked for keys that only read',
  )

const RunningAgent = z
  .object({
    version: z.string(),
    isOutdated: z.boolean(),
    count: z.number(),
    agents: z.array(z.object({ id: z.string(), lastSeenAt: z.string() })),
  })
  .meta({ id: 'RunningAgent' })

/** spec §2.5 */
export const PrivateLocation = z
  .object({
    id: Uuid,
    name: z.string(),
    slugName: z.string(),
    icon: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
    keys: z.array(AccessKey),
    proxyUrl: z.string().nullable(),
    lastSeen: Timestamp.nullable(),
    agentCount: z.number().nullable(),
    minAgentVersion: z.string().nullable().optional().describe('The lowest version of a connected agent'),
    runningAgents: z.array(RunningAgent).optional(),
  })
  .meta({ id: 'PrivateLocation' })

const fields = z.object({
  name: z.string().min(1).max(200),
  icon: z.string().min(1).max(100).default('location'),
  proxyUrl: ProxyUrl.nullable().default(null),
})

export const PrivateLocationInput = fields
  .extend({ slugName: PrivateLocationSlug.describe("The reference in checks; can't be changed later") })
  .meta({ id: 'PrivateLocationInput' })

export const PrivateLocationUpdate = updateOf(fields).meta({ id: 'PrivateLocationUpdate' })

/** Two, so that a key can be replaced while agents run. */
export const maxPrivateLocationKeys = 2

const tag = 'Private locations'
const params = z.object({ id: Uuid })

export const listPrivateLocations = route({
  method: 'GET',
  path: '/v1/private-locations',
  tag,
  summary: 'List private locations',
  access: 'READ_ONLY',
  query: z.object({
    versions: z.boolean().default(false).describe('Add the versions of the running agents'),
  }),
  status: 200,
  response: z.array(PrivateLocation),
})

export const getPrivateLocation = route({
  method: 'GET',
  path: '/v1/private-locations/{id}',
  tag,
  summary: 'Read a private location',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: PrivateLocation,
})

export const createPrivateLocation = route({
  method: 'POST',
  path: '/v1/private-locations',
  tag,
  summary: 'Create a private location',
  description: 'The response contains its first key, which is never shown again.',
  access: 'ADMIN',
  body: PrivateLocationInput,
  status: 201,
  response: PrivateLocation,
  errors: [402, 409],
  example: { name: 'Office Bern', slugName: 'office-bern', proxyUrl: 'http://proxy.example.com:3128' },
})

export const updatePrivateLocation = route({
  method: 'PUT',
  path: '/v1/private-locations/{id}',
  tag,
  summary: 'Update a private location',
  description: "Its slugName can't be changed.",
  access: 'ADMIN',
  params,
  body: PrivateLocationUpdate,
  status: 200,
  response: PrivateLocation,
  example: { name: 'Office Basel' },
})

export const deletePrivateLocation = route({
  method: 'DELETE',
  path: '/v1/private-locations/{id}',
  tag,
  summary: 'Delete a private location',
  description: 'Refused with 409 while checks or groups run in it.',
  access: 'ADMIN',
  params,
  status: 204,
  errors: [409],
})

export const createPrivateLocationKey = route({
  method: 'POST',
  path: '/v1/private-locations/{id}/keys',
  tag,
  summary: 'Issue another key for its agents',
  description: `A location has at most ${maxPrivateLocationKeys} keys. Only this response contains the whole key.`,
  access: 'ADMIN',
  params,
  status: 201,
  response: IssuedKey,
  errors: [402, 409],
})

export const deletePrivateLocationKey = route({
  method: 'DELETE',
  path: '/v1/private-locations/{id}/keys/{keyId}',
  tag,
  summary: 'Revoke a key',
  access: 'ADMIN',
  params: params.extend({ keyId: Uuid }),
  status: 204,
})

export const metricsReachBackDays = 15

/** Three columns of one table: entry n of each belongs to minute n. */
export const PrivateLocationMetrics = z
  .object({
    timestamps: z.array(Timestamp),
    queueSize: z.array(z.number()).describe("Runs that were due and hadn't been claimed"),
    oldestScheduledCheckRun: z
      .array(z.number())
      .describe('How long the oldest of them had waited, in seconds'),
  })
  .meta({ id: 'PrivateLocationMetrics' })

export const getPrivateLocationMetrics = route({
  method: 'GET',
  path: '/v1/private-locations/{id}/metrics',
  tag,
  summary: 'Read the length of the queue of a private location',
  description: `Measured each minute; reaches back ${metricsReachBackDays} days.`,
  access: 'READ_ONLY',
  params,
  query: z.object({
    from: UnixSeconds.optional().describe(
      'UNIX time in seconds, inclusive; 24 hours before `to` when left out',
    ),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; now when left out'),
  }),
  status: 200,
  response: PrivateLocationMetrics,
  rateLimit: { limit: 300, seconds: 86_400 },
})

/** An http or https URL that may contain variables, or a single variable. */
function isProxyUrl(value: string): boolean {
  if (/^\{\{[A-Za-z_]\w*\}\}$/.test(value)) return true
  // A digit is valid wherever a variable is allowed: user, password, host and port.
  return HttpUrl.safeParse(value.replace(/\{\{[A-Za-z_]\w*\}\}/g, '1')).success
}
