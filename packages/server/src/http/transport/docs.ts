import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

/** Restricts the page, and the library behind it, to this server. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the API reference at /docs, generated from /openapi.json. */
export function serveDocs(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) route.config = { ...route.config, isFixed: true }
  })
  app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Vedette API reference',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      favicon: 'data:,',
      // Requests go to the address at which the page was opened, not to PUBLIC_URL.
      servers: [{ url: '/' }],
    },
    hooks: {
      onRequest: async (request, reply) => {
        reply.header('content-security-policy', contentPolicy)
        if (request.url.endsWith('.js')) reply.header('cache-control', 'public, max-age=3600')
      },
    },
  })
}
