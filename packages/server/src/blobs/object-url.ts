import type { BucketSettings } from './bucket-settings.ts'
import { encodeUnreserved } from './signature-v4.ts'

/** `path` below the prefix. Encoded as it is signed: of some signs URLs and signatures think differently. */
export function objectUrl(
  { url, bucket, addressing, prefix }: Pick<BucketSettings, 'url' | 'bucket' | 'addressing' | 'prefix'>,
  path: string,
): URL {
  const base = new URL(url)
  if (addressing === 'host') base.hostname = `${bucket}.${base.hostname}`
  const folders = [base.pathname.replace(/\/+$/, ''), ...(addressing === 'path' ? [bucket] : [])]
  const key = `${prefix}${path}`.split('/').map(encodeUnreserved).join('/')
  return new URL(`${base.origin}${folders.join('/')}/${key}`)
}
