import type { Config } from '../config.ts'

export interface BucketSettings {
  /** Where the service answers, without the bucket. */
  url: string
  bucket: string
  /** Whether the bucket is a part of the path, or of the host's name. */
  addressing: 'path' | 'host'
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Of a key that is valid for a while. */
  sessionToken: string | null
  /** What the keys of all objects begin with: empty, or ending in a slash. */
  prefix: string
}

/** Null: blobs are kept on the disk. The settings have been checked to be there. */
export function bucketSettings(config: Config): BucketSettings | null {
  if (config.BLOB_STORE === 'disk') return null
  const prefix = config.S3_PREFIX.replace(/^\/+|\/+$/g, '')
  return {
    url: config.S3_URL as string,
    bucket: config.S3_BUCKET as string,
    addressing: config.S3_ADDRESSING,
    region: config.S3_REGION,
    accessKeyId: config.S3_ACCESS_KEY_ID as string,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY as string,
    sessionToken: config.S3_SESSION_TOKEN ?? null,
    prefix: prefix === '' ? '' : `${prefix}/`,
  }
}
