// Fetches an image through the guarded HTTP client. Each redirect is a new request, so the address policy applies to it too.
import { createHash } from 'node:crypto'
import { errorCode } from '@vedette/safeguards/errors'
import { DeliveryError } from '../../alerting/channels/transport/delivery-error.ts'
import { RefusedAddress } from '../../alerting/channels/transport/guarded-lookup.ts'
import type { Http } from '../../alerting/channels/transport/http.ts'
import type { ImageBytes } from '../../storage/pages/page-images.ts'
import { ImageError } from './image-error.ts'
import { rasterTypeOf } from './image-type.ts'
import { safeSvg } from './safe-svg.ts'

const maxBytes = 512 * 1024
const maxRedirects = 3
/** Of all requests together. */
const timeoutMs = 15_000

/** Throws an ImageError. */
export async function fetchImage(http: Pick<Http, 'download'>, url: string): Promise<ImageBytes> {
  const bytes = await download(http, url)
  const type = rasterTypeOf(bytes)
  const image =
    type === null ? { type: 'image/svg+xml', bytes: Buffer.from(safeSvg(bytes)) } : { type, bytes }
  return { ...image, hash: createHash('sha256').update(image.bytes).digest('hex') }
}

async function download(http: Pick<Http, 'download'>, url: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs)
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { status, headers, bytes, isWhole } = await http
      .download(address, maxBytes, signal)
      .catch((error: unknown) => {
        throw new ImageError(
          signal.aborted ? `It didn't arrive within ${timeoutMs / 1000} s.` : wordsOf(error),
        )
      })
    if (status === 200) {
      if (isWhole) return bytes
      throw new ImageError(
        bytes.length >= maxBytes ? 'It is larger than 512 kB.' : 'The connection broke before its end.',
      )
    }
    const next =
      status >= 300 && status < 400 && headers.location ? URL.parse(headers.location, address) : null
    if (next === null || !/^https?:$/.test(next.protocol))
      throw new ImageError(`Its server responded with status ${status} instead of an image.`)
    address = next.href
  }
  throw new ImageError(`It redirects more than ${maxRedirects} times.`)
}

function wordsOf(error: unknown): string {
  if (!(error instanceof DeliveryError)) throw error
  if (error.cause instanceof RefusedAddress)
    return `This server doesn't connect to its address, which is ${error.cause.message}.`
  return `Its server can't be reached (${errorCode(error.cause) ?? 'no response'}).`
}
