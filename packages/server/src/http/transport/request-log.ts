import type { FastifyInstance } from 'fastify'

/** Logs each request at level debug, with the id of the response header x-request-id. */
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
 * Masks tokens in paths and queries: they are secrets. In the path of an unknown route, such as a mistyped link, any part may
 * be one, so long segments and the query are masked.
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
    .replace(/\/(ping|trigger|unsubscribe|verify|r|password-resets|invitations)\/+[^/]+/gi, '/$1/***')
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
