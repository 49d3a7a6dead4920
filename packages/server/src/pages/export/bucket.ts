// Copies a site from a directory into a bucket: first what changed, then the manifest, so that a copy that was cut off is
// continued by the next one.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Bucket, nullIfAbsent } from '../../blobs/bucket.ts'
import { readSome } from '../../blobs/bucket-error.ts'
import { type Manifest, manifestName, manifestText, parseManifest } from './directory.ts'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
  ...{ png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif' },
  ...{ svg: 'image/svg+xml', ico: 'image/x-icon' },
}

/** Returns how many files were sent. */
export async function copyToBucket(bucket: Bucket, folder: string, manifest: Manifest): Promise<number> {
  const before = await readManifest(bucket)
  const changed = Object.entries(manifest).filter(([path, hash]) => before[path] !== hash)
  for (const [path, hash] of changed) await put(bucket, folder, path, hash)
  for (const path of Object.keys(before)) {
    if (Object.hasOwn(manifest, path)) continue
    const response = await bucket.call(path, { method: 'DELETE' }).catch(nullIfAbsent)
    if (response !== null) await readSome(response)
  }
  const hash = createHash('sha256').update(manifestText(manifest)).digest('hex')
  await put(bucket, folder, manifestName, hash)
  return changed.length
}

async function put(bucket: Bucket, folder: string, path: string, payloadHash: string): Promise<void> {
  const file = join(folder, path)
  const headers = {
    'content-length': String(statSync(file).size),
    'content-type': types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=60',
  }
  await readSome(await bucket.call(path, { method: 'PUT', headers, payloadHash, file }))
}

async function readManifest(bucket: Bucket): Promise<Manifest> {
  const response = await bucket.call(manifestName, { method: 'GET' }).catch(nullIfAbsent)
  if (response === null) return {}
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  try {
    return parseManifest(Buffer.concat(chunks).toString())
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
