import type { Config } from '../config.ts'

export interface BucketSettings {
  /** The endpoint of the service, without the bucket. */
  url: string
  bucket: string
  /** Whether the bucket is part of the path or of the host name. */
  addressing: 'path' | 'host'
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** For temporary credentials. */
  sessionToken: string | null
  /** The prefix of all object keys: empty, or ending in a slash. */
  prefix: string
}

/** Null: blobs are stored on disk. */
export function bucketSettings(config: Config): BucketSettings | null {
  if (config.BLOB_STORE === 'disk') return null
  if (!config.S3_BUCKET) throw new Error('BLOB_STORE=s3 needs S3_BUCKET.')
  return settingsOf(config, config.S3_BUCKET, config.S3_PREFIX, 'BLOB_STORE=s3')
}

/** Of an address such as s3://bucket/prefix. Null: it is a directory. */
export function bucketAt(config: Config, address: string): BucketSettings | null {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(address) ?? []
  return bucket === undefined ? null : settingsOf(config, bucket, prefix, address)
}

function settingsOf(config: Config, bucket: string, folder: string, wanted: string): BucketSettings {
  const { S3_URL, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config
  if (!S3_URL || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY)
    throw new Error(`${wanted} needs S3_URL, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.`)
  const prefix = folder.replace(/^\/+|\/+$/g, '')
  return {
    url: S3_URL,
    bucket,
    addressing: config.S3_ADDRESSING,
    region: config.S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    sessionToken: config.S3_SESSION_TOKEN ?? null,
    prefix: prefix === '' ? '' : `${prefix}/`,
  }
}
