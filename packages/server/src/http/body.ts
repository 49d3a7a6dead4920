// Request bodies: JSON only, plain or compressed; the size limit counts what comes out of the decompressor.
import { isUtf8 } from 'node:buffer'
import { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ApiError } from '@vedette/contracts'
import type { FastifyInstance } from 'fastify'

const inflaters: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export function readBodies(app: FastifyInstance, limitBytes: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(json|[\w.+-]+\+json)(;|$)/i,
    { parseAs: 'buffer' },
    (_request, bytes, done) => {
      if (bytes.length === 0) return done(null, undefined)
      // Decoded all the same, other bytes would be kept as replacement characters.
      if (!isUtf8(bytes as Buffer)) return done(new ApiError('malformed_json'))
      try {
        done(null, JSON.parse(bytes.toString()))
      } catch {
        done(new ApiError('malformed_json'))
      }
    },
  )
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase()
    if (encoding === undefined || encoding === '' || encoding === 'identity') return payload
    const inflate = inflaters[encoding]
    if (inflate === undefined) throw new ApiError('unsupported_media_type')
    // Fastify compares this header with the bytes it reads, which are now others.
    delete request.headers['content-length']
    const inflater = inflate()
    const counter = limitTo(limitBytes)
    // Whoever reads the body hears of it; where nobody does (a GET, a type we don't read) it must not end the process.
    counter.on('error', () => undefined)
    payload.on('error', (error) => counter.destroy(error))
    inflater.on('error', () => counter.destroy(new ApiError('malformed_encoding')))
    return payload.pipe(inflater).pipe(counter)
  })
}

function limitTo(limitBytes: number): Transform {
  let received = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > limitBytes) done(new ApiError('body_too_large'))
      else done(null, chunk)
    },
  })
}
