import type { FastifyInstance } from 'fastify'

/** At the level debug: one line per request, with the id that the answer's x-request-id header carries too. */
export function logRequests(app: FastifyInstance): void {
  const isLogged = ['trace', 'debug'].includes(app.log.level)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    done()
    if (!isLogged) return
    request.log.debug(
      {
        method: request.method,
        path: redactPath(request.url, request.is404),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.account?.id,
        key: request.principal?.keyId,
      },
      'request.done',
    )
  })
}

/**
 * Tokens in paths and queries are secrets and must not be logged. In the path of an unknown route, a mistyped link for example,
 * anything may be one: long words and the query are masked.
 */
export function redactPath(url: string, isUnknown = false): string {
  const [path = '', ...queries] = url.split('?')
  const query = queries.length === 0 ? '' : `?${queries.join('?')}`
  if (isUnknown) return maskTokens(path).replace(/[^/]{12,}/g, '***') + (query === '' ? '' : '?***')
  // The router matches the decoded path.
  const decoded = decode(path)
  const masked = maskTokens(decoded)
  return (
    (masked === decoded ? path : encodeURI(masked)) +
    query.replace(/([?&][^=&]*(token|key|secret|password|signature)[^=&]*=)[^&]*/gi, '$1***')
  )
}

function maskTokens(path: string): string {
  return path
    .replace(/\b(v[usdpa]|pl)_[0-9a-f]{32}\b/gi, '$1_***')
    .replace(/\/(ping|trigger|unsubscribe|verify|r)\/+[^/]+/gi, '/$1/***')
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
