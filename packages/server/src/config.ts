// Everything the server reads from its environment: parsed once, frozen, handed in.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import { agentSettings } from './config/agent-settings.ts'
import { alertingSettings } from './config/alerting-settings.ts'
import { whole } from './config/fields.ts'

/** Until someone gives a real one. */
export const inventedOwnerEmail = 'owner@localhost.local'

const settings = {
  PORT: whole(0, 65_535).default(3000).describe('Port of the API'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on'),
  DATA_DIR: z.string().min(1).default('./data').describe('The one folder where everything is kept'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional()
    .describe('A PostgreSQL (15 or newer) of your own instead of the embedded one'),
  DATABASE_POOL_SIZE: whole(2, 500).default(20).describe('Connections to PostgreSQL'),
  SECRET_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Encrypts secrets at rest; without it a key is made in DATA_DIR/secret-key'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Address under which people and agents reach this server; makes every link'),
  TRUST_PROXY: z
    .string()
    .regex(
      /^(true|false|\d+|((loopback|linklocal|uniquelocal|[\d.]+|[\da-f:.]*:[\da-f:.]*)(\/\d+)?(,\s*)?)+)$/i,
      'must be true, false, a number of proxies, or their addresses',
    )
    .optional()
    .describe('Behind a reverse proxy: true, a number of hops, or the addresses of the proxies'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('How much is logged'),
  LOG_FORMAT: z
    .enum(['text', 'json'])
    .optional()
    .describe('Lines for people or JSON for programs; without it text on a terminal and json elsewhere'),
  RATE_LIMIT_PER_MINUTE: whole(1, 1_000_000_000).default(600).describe('Requests per API key and minute'),
  RATE_LIMIT_PUBLIC_PER_MINUTE: whole(1, 1_000_000_000)
    .default(600)
    .describe('Requests per address and minute on routes without a key'),
  RATE_LIMIT_FACTOR: z.coerce
    .number()
    .min(0.01)
    .max(1_000_000)
    .default(1)
    .describe('Multiplies the own limits of single routes'),
  BODY_LIMIT_BYTES: whole(1024, 1024 ** 3)
    .default(16 * 1024 * 1024)
    .describe(
      'Largest request body with scripts or results, after decompression; other routes allow at most 1 MB',
    ),
  STATIC_IPS_FILE: z
    .string()
    .optional()
    .describe(
      'JSON file of the addresses your agents call from: {"ipv4": {"eu-west-1": ["192.0.2.1"]}, "ipv6": {}}',
    ),
  RESULT_RETENTION_DAYS: whole(1, 3650).default(30).describe('How long results are kept'),
  DETAIL_RETENTION_DAYS: whole(1, 3650)
    .default(7)
    .describe('How long their details are kept: responses, assertions, logs, diagnostics'),
  ROLLUP_RETENTION_MONTHS: whole(1, 240)
    .default(25)
    .describe('How long analytics and coverage reach back, when the results are gone'),
  DISK_RESERVE_PERCENT: z.coerce
    .number()
    .min(0)
    .max(50)
    .default(5)
    .describe('Embedded store: with less free disk the oldest details are dropped; 0 never does that'),
  BLOB_STORE: z
    .enum(['disk', 's3'])
    .default('disk')
    .describe('Where the files of runs and code bundles lie: in DATA_DIR/artifacts, or in a bucket (S3_…)'),
  S3_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://host:port' })
    .refine((url) => !/[?#]/.test(url), 'must end before any ? or #')
    .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'must hold no key: it goes into S3_ACCESS_KEY_ID')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Bucket: where a service that speaks the S3 protocol answers'),
  S3_BUCKET: z
    .string()
    .regex(/^\w[\w.-]{0,254}$/, 'must be letters, digits, dots and hyphens')
    .optional()
    .describe('Bucket: its name'),
  S3_ADDRESSING: z
    .enum(['path', 'host'])
    .default('path')
    .describe("Bucket: whether its name stands in the path (any service) or before the host's name"),
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
    .describe('Bucket: the token that comes with a key that is valid for a while'),
  S3_PREFIX: z
    .string()
    .refine((prefix) => Buffer.byteLength(prefix) <= 512, 'must have at most 512 bytes')
    .refine((prefix) => !/\p{Cc}/u.test(prefix) && prefix.isWellFormed(), 'must be text in one line')
    .refine((prefix) => !/(^|\/)\.{1,2}(\/|$)|[^/]\/\/+[^/]/.test(prefix), 'must not hold //, /./ or /../')
    .default('')
    .describe('Bucket: what the names of all objects begin with'),
  CODE_BUNDLE_MAX_MB: whole(1, 10_000).default(500).describe('Largest archive of a Playwright suite'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token of GET /metrics; without it only this machine itself may read them'),
  ...agentSettings,
  ...alertingSettings,
  MODEL_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'OpenAI-compatible endpoint (up to /v1) that words root-cause analyses (without it rules alone do), and performs ' +
        'agentic checks at the built-in agent (without it only scripts that they have already are replayed)',
    ),
  MODEL_NAME: z.string().min(1).default('gpt-5.1').describe('The model to ask for there'),
  MODEL_API_KEY: z.string().optional().describe('The key to show there'),
  FIRST_USER_EMAIL: z
    .email()
    .default(inventedOwnerEmail)
    .describe(
      'Address of the owner made at the first start, who gets alarms about agents; else asked for on a terminal',
    ),
  FIRST_ACCOUNT_NAME: z
    .string()
    .min(1)
    .default('My account')
    .describe('Name of the account made at the first start'),
} satisfies Record<string, z.ZodType>

/** Their values never appear in a log, and X_FILE reads them from a file. */
const secretSettings = [
  'DATABASE_URL',
  'SECRET_KEY',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_SESSION_TOKEN',
  'METRICS_TOKEN',
  'SMTP_URL',
  'SLACK_BOT_TOKEN',
  'TWILIO_AUTH_TOKEN',
  'MODEL_API_KEY',
] as const

const Environment = z.object(settings)

export type Config = Readonly<z.output<typeof Environment>>

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const name of Object.keys(settings)) {
    // An empty variable is an unset one: compose files and shells make no difference.
    if (environment[name]) values[name] = environment[name]
  }
  for (const name of secretSettings) {
    const file = environment[`${name}_FILE`]
    if (!file) continue
    try {
      values[name] = readFileSync(file, 'utf8').trim()
    } catch (cause) {
      problems.push(`${name}_FILE: can't be read (${errorMessage(cause)})`)
    }
  }
  const parsed = Environment.safeParse(values)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')}: ${issue.message}`)
  }
  if (values.BLOB_STORE === undefined && values.S3_BUCKET !== undefined)
    problems.push('BLOB_STORE: must be s3 for S3_BUCKET to be used, or disk to leave it aside')
  if (parsed.data?.BLOB_STORE === 's3') problems.push(...missingOfBucket(parsed.data))
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(`These settings are wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  }
  return Object.freeze({ ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR) })
}

function missingOfBucket(config: Config): string[] {
  const needed = ['S3_URL', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  return needed
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: is required with BLOB_STORE=s3`)
}

/** What every program on this machine may know; the rest of our environment is ours. */
const harmless = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_COMPILE_CACHE',
]

/** For programs that we start. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const known = harmless.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []))
  return Object.fromEntries(known) as Record<string, string>
}

/** The text of .env.example, read off the settings above. */
export function environmentExample(): string {
  const lines = [
    '# Settings of the Vedette server. Generated from packages/server/src/config.ts; do not edit.',
    '',
  ]
  for (const [name, schema] of Object.entries(settings)) {
    const fallback = defaultOf(schema)
    const secret = (secretSettings as readonly string[]).includes(name)
    lines.push(`# ${schema.description}${secret ? ` (or ${name}_FILE: a file that holds it)` : ''}`)
    lines.push(`#${name}=${fallback ?? ''}`, '')
  }
  return lines.join('\n')
}

function defaultOf(schema: z.ZodType): string | undefined {
  const parsed = schema.safeParse(undefined)
  return parsed.success && parsed.data !== undefined ? String(parsed.data) : undefined
}
