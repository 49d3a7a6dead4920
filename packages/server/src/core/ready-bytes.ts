// Responses that are the same for every caller, such as the OpenAPI document: kept as bytes, and compressed once per encoding.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'
type Bytes = string | Buffer

export const compressors: Record<Encoding, (bytes: Bytes) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

export class ReadyBytes {
  readonly #bytes: Buffer
  readonly #hash: string
  readonly #packed = new Map<Encoding, Promise<Buffer>>()

  constructor(bytes: Bytes) {
    this.#bytes = Buffer.from(bytes)
    this.#hash = createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 22)
  }

  /** Sets the headers of the representation that the caller accepts; returns its bytes, or an empty text for a 304. */
  async choose(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | string> {
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    reply.header('vary', 'accept-encoding').header('etag', `"${this.#hash}${encoding ? `-${encoding}` : ''}"`)
    // The caller may have the same bytes in another encoding.
    const known = String(request.headers['if-none-match'] ?? '')
    if (known.trim() === '*' || known.includes(this.#hash)) {
      reply.code(304).removeHeader('content-length')
      return ''
    }
    if (encoding === undefined) return this.#bytes
    let packed = this.#packed.get(encoding)
    if (packed === undefined) {
      packed = compressors[encoding](this.#bytes)
      this.#packed.set(encoding, packed)
    }
    const bytes = await packed
    reply.header('content-encoding', encoding).header('content-length', bytes.length)
    return bytes
  }
}

/** The better of the two that the header accepts with a weight above zero. */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
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
