// Answers are compressed when the caller asks for it and it is worth the work.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

const worthwhileBytes = 1024
const compressors = {
  br: (body: string | Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: string | Buffer) => promisify(gzip)(body, { level: 6 }),
}

export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (payload.length < worthwhileBytes || reply.hasHeader('content-encoding')) return payload
    reply.header('vary', 'accept-encoding')
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding === undefined) return payload
    reply.header('content-encoding', encoding)
    reply.removeHeader('content-length')
    return compressors[encoding](payload)
  })
}

/** The better of the two that the header accepts with a weight above zero. */
export function chooseEncoding(header: string | string[] | undefined): keyof typeof compressors | undefined {
  const accepted = new Map<string, number>()
  for (const part of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = part.trim().split(';')
    const weight = parameters
      .map((text) => /^\s*q=([\d.]+)/.exec(text)?.[1])
      .find((text) => text !== undefined)
    accepted.set(name.trim(), weight === undefined ? 1 : Number(weight))
  }
  const weightOf = (name: string) => accepted.get(name) ?? accepted.get('*') ?? 0
  if (weightOf('br') > 0 && weightOf('br') >= weightOf('gzip')) return 'br'
  return weightOf('gzip') > 0 ? 'gzip' : undefined
}
