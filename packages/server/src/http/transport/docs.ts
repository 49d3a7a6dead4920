import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

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

/** Serves the API reference at /docs, generated from /openapi.json. The library takes 20 MB: it is loaded by the first request. */
export function serveDocs(app: FastifyInstance): void {
  const rendered = new Map<string, Promise<Rendered>>()
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const page = rendered.get(path) ?? render(path)
    rendered.set(path, page)
    const { statusCode, headers, body } = await page
    reply.code(statusCode).headers(headers).header('content-security-policy', contentPolicy)
    if (path.endsWith('.js')) reply.header('cache-control', 'public, max-age=3600')
    return reply.send(body)
  }
  // Each also with a slash at its end.
  for (const url of ['/docs', '/docs/js/scalar.js']) app.get(url, { config: { isFixed: true } }, send)
}

interface Rendered {
  statusCode: number
  headers: Record<string, string>
  body: string
}

async function render(path: string): Promise<Rendered> {
  loading ??= loadReference()
  const { statusCode, headers, body } = await (await loading).inject({ method: 'GET', url: path })
  const kept = ['content-type', 'location'].flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return { statusCode, headers: Object.fromEntries(kept), body }
}

let loading: Promise<FastifyInstance> | null = null

async function loadReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const app = fastify()
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
  })
  await app.ready()
  return app
}
