// Domains of customers on which a page is served.
import { z } from 'zod'
import { route } from '../core/route.ts'

export const CustomDomainStatus = z
  .object({
    status: z.enum(['served', 'pending']),
    reason: z.string().nullable().describe('Why the page is not served on its domain yet'),
    recordType: z.literal('TXT'),
    recordName: z.string().describe('The DNS record that proves that the domain is yours'),
    recordValue: z.string(),
  })
  .meta({ id: 'CustomDomainStatus' })

export const customDomainStatusField = CustomDomainStatus.nullable().describe(
  'Whether the page is served on its customDomain; null: it has none',
)

export const askForCertificate = route({
  method: 'GET',
  path: '/tls/ask',
  tag: 'Platform',
  summary: 'May a certificate be obtained for this domain?',
  description:
    'For reverse proxies with on-demand TLS, such as Caddy: 200 if this server serves a page on the domain, 404 otherwise. Never waits for the database, and is never rate-limited.',
  access: 'public',
  isUnlimited: true,
  query: z.object({ domain: z.string().min(1).max(300) }),
  status: 200,
  response: z.object({ domain: z.string() }),
  errors: [404],
})
