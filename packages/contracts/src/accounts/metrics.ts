// Metrics for Prometheus: of the server for its operator, and of the checks of an account for its members.
import { z } from 'zod'
import { AccessKey, IssuedKey, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { AccountInPath } from './accounts.ts'

const tag = 'Metrics'
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export const getServerMetrics = route({
  method: 'GET',
  path: '/metrics',
  tag,
  summary: 'Metrics of this server, for its operator',
  description:
    "With METRICS_TOKEN as bearer token; if that isn't set, only for requests from the server's own machine. " +
    'Contains no data of accounts.',
  access: 'public',
  status: 200,
  response: z.string(),
  contentType,
  errors: [401],
})

export const getAccountMetrics = route({
  method: 'GET',
  path: '/accounts/{accountId}/v2/prometheus/metrics',
  tag,
  summary: 'Metrics of the checks of an account',
  description:
    'With a Prometheus token of the account, or an API key that may read it. Counters and histograms are reset at each ' +
    'full hour; the response is up to a minute old.',
  access: 'key',
  acceptsMetricsToken: true,
  params: AccountInPath,
  query: z.object({
    disableTagParsing: z
      .boolean()
      .default(false)
      .describe('All tags in the label `tags`; otherwise a tag key:value becomes a label of its own'),
    locationLabelEnabled: z.boolean().default(false).describe('Adds a location label'),
    includeRetryAttempts: z.boolean().default(false).describe('Also counts attempts that were retried'),
  }),
  status: 200,
  response: z.string(),
  contentType,
  rateLimit: { limit: 50, seconds: 60 },
})

const params = z.object({ id: Uuid })

export const listPrometheusTokens = route({
  method: 'GET',
  path: '/v1/accounts/me/prometheus-tokens',
  tag,
  summary: 'List the Prometheus tokens of the account',
  access: 'ADMIN',
  status: 200,
  response: z.array(AccessKey),
})

export const createPrometheusToken = route({
  method: 'POST',
  path: '/v1/accounts/me/prometheus-tokens',
  tag,
  summary: 'Create a Prometheus token',
  description:
    'It gives access to the metrics of the account and nothing else. Only this response contains the whole token.',
  access: 'ADMIN',
  status: 201,
  response: IssuedKey,
})

export const deletePrometheusToken = route({
  method: 'DELETE',
  path: '/v1/accounts/me/prometheus-tokens/{id}',
  tag,
  summary: 'Revoke a Prometheus token',
  access: 'ADMIN',
  params,
  status: 204,
})
