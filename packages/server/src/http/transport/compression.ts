// Compresses responses that are large enough, in an encoding that the client accepts.
import type { FastifyInstance } from 'fastify'
import { chooseEncoding, compressors, ReadyBytes } from '../../core/ready-bytes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Always responds with the same few strings or buffers, such as the files of a page. */
    isFixed?: boolean
  }
}

const worthwhileBytes = 1024
const maxFixed = 200

export function compressResponses(app: FastifyInstance): void {
  const fixed = new Map<string | Buffer, ReadyBytes>()
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (payload.length < worthwhileBytes || reply.hasHeader('content-encoding')) return payload
    if (request.routeOptions.config.isFixed && reply.statusCode === 200) {
      const known = fixed.get(payload) ?? new ReadyBytes(payload)
      if (fixed.size < maxFixed) fixed.set(payload, known)
      return known.choose(request, reply)
    }
    reply.header('vary', 'accept-encoding')
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding === undefined) return payload
    reply.header('content-encoding', encoding)
    reply.removeHeader('content-length')
    return compressors[encoding](payload)
  })
}
