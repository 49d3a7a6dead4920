import type { FastifyInstance } from 'fastify'

/** One line per request, with the id that the answer's x-request-id header carries too. */
export function logRequests(app: FastifyInstance): void {
  const isLogged = ['trace', 'debug', 'info'].includes(app.log.level)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    done()
    if (!isLogged) return
    // Agents call all the time: what they do is told by what it leads to.
    const level = request.agent === null || reply.statusCode >= 400 ? 'info' : 'debug'
    request.log[level](
      {
        method: request.method,
        path: redactPath(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.account?.id,
        key: request.principal?.keyId,
      },
      'request.done',
    )
  })
}

/** Tokens in paths and queries are secrets: they leave no trace in a log. */
export function redactPath(url: string): string {
  return url
    .replace(/\b(v[usdpa]|pl)_[0-9a-f]{32}\b/g, '$1_***')
    .replace(/\/(ping|trigger|unsubscribe|verify|r)\/[^/?#]+/g, '/$1/***')
    .replace(/([?&][^=&]*(token|key|secret|password|signature)[^=&]*=)[^&]*/gi, '$1***')
}
