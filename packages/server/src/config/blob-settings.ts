import { z } from 'zod'

/** Where files of runs and code bundles are stored. */
export const blobSettings = {
  BLOB_STORE: z
    .enum(['disk', 's3'])
    .default('disk')
    .describe(
      'Where files of runs and code bundles are stored: in DATA_DIR/artifacts, or in a bucket (S3_…)',
    ),
  S3_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://host:port' })
    .refine((url) => !/[?#]/.test(url), 'must end before any ? or #')
    .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'must not contain a key: set S3_ACCESS_KEY_ID instead')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Bucket: URL of a service with the S3 API'),
  S3_BUCKET: z
    .string()
    .regex(/^\w[\w.-]{0,254}$/, 'must be letters, digits, dots and hyphens')
    .optional()
    .describe('Bucket: its name'),
  S3_ADDRESSING: z
    .enum(['path', 'host'])
    .default('path')
    .describe('Bucket: whether its name is part of the path (any service) or of the host'),
  S3_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'must be letters, digits and hyphens')
    .default('us-east-1')
    .describe('Bucket: its region'),
  S3_ACCESS_KEY_ID: z
    .string()
    .regex(/^[!-+\--.0-~]+$/, 'must be in ASCII, without spaces, commas and slashes')
    .optional()
    .describe('Bucket: the key to sign with'),
  S3_SECRET_ACCESS_KEY: z
    .string()
    .regex(/^[ -~]+$/, 'must be one line of ASCII')
    .optional()
    .describe('Bucket: its secret'),
  S3_SESSION_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, 'must be in ASCII, without spaces')
    .optional()
    .describe('Bucket: the session token of temporary credentials'),
  S3_PREFIX: z
    .string()
    .refine((prefix) => Buffer.byteLength(prefix) <= 512, 'must have at most 512 bytes')
    .refine((prefix) => !/\p{Cc}/u.test(prefix) && prefix.isWellFormed(), 'must be text in one line')
    .refine((prefix) => !/(^|\/)\.{1,2}(\/|$)|[^/]\/\/+[^/]/.test(prefix), 'must not contain //, /./ or /../')
    .default('')
    .describe('Bucket: prefix of the names of all objects'),
} satisfies Record<string, z.ZodType>
