// All settings that the server reads from its environment: parsed once, frozen, and passed to its parts.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import { agentSettings } from './config/agent-settings.ts'
import { alertingSettings } from './config/alerting-settings.ts'
import { blobSettings } from './config/blob-settings.ts'
import { databaseSettings } from './config/database-settings.ts'
import { hostName, whole } from './config/fields.ts'
import { oidcSettings } from './config/oidc-settings.ts'

/** The address of the owner until a real one is set. */
export const inventedOwnerEmail = 'owner@localhost.local'

const settings = {
  PORT: whole(0, 65_535).default(3000).describe('Port of the API'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on'),
  DATA_DIR: z.string().min(1).default('./data').describe('The directory of all data'),
  STOP_WITH_PARENT: z
    .enum(['on', 'off'])
    .default('off')
    .describe('on: the server stops when its parent process ends; npm start sets it'),
  STOP_DELAY_SECONDS: whole(0, 300)
    .default(0)
    .describe(
      'Behind a load balancer: how long /readyz is 503 before a server that stops refuses requests; longer than the balancer takes to notice',
    ),
  ...databaseSettings,
  SECRET_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Encrypts secrets at rest; without it a key is generated in DATA_DIR/secret-key'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('URL of this server for people and agents; the base of all links'),
  ASSETS_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'URL of this server under a host name of its own, for files of runs and the trace viewer; cookies of the app never go there',
    ),
  STATUS_DOMAIN: hostName
    .optional()
    .describe('Status pages are also at <url>.STATUS_DOMAIN; needs a wildcard DNS record'),
  DASHBOARDS_DOMAIN: hostName
    .optional()
    .describe('Dashboards are also at <customUrl>.DASHBOARDS_DOMAIN; needs a wildcard DNS record'),
  CUSTOM_DOMAIN_PROOF: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'With more than one account, a page is shown on its customDomain only after a DNS record proves whose domain it is; off ' +
        'trusts all accounts',
    ),
  PAGES_EXPORT_TO: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Copies public status pages there as files: a directory, or s3://bucket/prefix with S3_URL and its keys',
    ),
  PAGES_EXPORT_MINUTES: whole(1, 1440).default(5).describe('How often the copy is made'),
  PAGES_EXPORT_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Where visitors find the copy; used in feeds'),
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
    .describe('Lines for people or JSON for programs; without it text on a terminal and json otherwise'),
  RATE_LIMIT_PER_MINUTE: whole(1, 1_000_000_000).default(600).describe('Requests per API key and minute'),
  RATE_LIMIT_PUBLIC_PER_MINUTE: whole(1, 1_000_000_000)
    .default(600)
    .describe('Requests per address and minute on routes without a key'),
  RATE_LIMIT_FACTOR: z.coerce
    .number()
    .min(0.01)
    .max(1_000_000)
    .default(1)
    .describe('Multiplies the limits of individual routes'),
  BODY_LIMIT_BYTES: whole(1024, 1024 ** 3)
    .default(16 * 1024 * 1024)
    .describe(
      'Largest request body with scripts or results, after decompression; other routes allow at most 1 MB',
    ),
  DEPLOY_BODY_LIMIT_BYTES: whole(1024, 1024 ** 3)
    .default(64 * 1024 * 1024)
    .describe('Largest request body with a whole project, after decompression'),
  STATIC_IPS_FILE: z
    .string()
    .optional()
    .describe(
      'JSON file of the addresses of your agents: {"ipv4": {"eu-west-1": ["192.0.2.1"]}, "ipv6": {}}',
    ),
  RESULT_RETENTION_DAYS: whole(1, 3650).default(30).describe('How long results are kept'),
  DETAIL_RETENTION_DAYS: whole(1, 3650)
    .default(7)
    .describe('How long their details are kept: responses, assertions, logs, diagnostics'),
  DETAIL_SAMPLE_PERCENT: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe(
      'Percentage of passing runs that keep their details that long, others for a day; failures, and checks that run at most once an hour, keep all',
    ),
  ROLLUP_RETENTION_MONTHS: whole(1, 240)
    .default(25)
    .describe('How long analytics and coverage are kept, after the results are deleted'),
  DISK_RESERVE_PERCENT: z.coerce
    .number()
    .min(0)
    .max(50)
    .default(5)
    .describe(
      'Embedded PostgreSQL: with less free disk space the oldest details are deleted; 0 disables that',
    ),
  ...blobSettings,
  CODE_BUNDLE_MAX_MB: whole(1, 10_000).default(500).describe('Largest archive of a Playwright suite'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token of GET /metrics; without it only this machine may read them'),
  ...agentSettings,
  ...alertingSettings,
  ...oidcSettings,
  MODEL_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'OpenAI-compatible endpoint (up to /v1) that writes the text of root-cause analyses (without it rules do), and runs ' +
        'agentic checks at the built-in agent (without it only existing scripts are replayed)',
    ),
  MODEL_NAME: z.string().min(1).default('gpt-5.1').describe('The model to use'),
  MODEL_API_KEY: z.string().optional().describe('The API key of that endpoint'),
  FIRST_USER_EMAIL: z
    .email()
    .default(inventedOwnerEmail)
    .describe(
      'Email address of the owner created at the first start, who receives alarms about agents; without it a terminal asks for it',
    ),
  FIRST_ACCOUNT_NAME: z
    .string()
    .min(1)
    .default('My account')
    .describe('Name of the account created at the first start'),
} satisfies Record<string, z.ZodType>

/** Their values are never logged, and X_FILE reads them from a file. */
const secretSettings = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SECRET_KEY',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_SESSION_TOKEN',
  'METRICS_TOKEN',
  'SMTP_URL',
  'SLACK_BOT_TOKEN',
  'TWILIO_AUTH_TOKEN',
  'MODEL_API_KEY',
  'OIDC_CLIENT_SECRET',
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
    // An empty variable counts as unset, since compose files and shells don't distinguish them.
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
    problems.push('BLOB_STORE: must be s3 to use S3_BUCKET, or disk to ignore it')
  if (parsed.data?.PAGES_EXPORT_TO?.startsWith('s3://'))
    problems.push(...missingFor('PAGES_EXPORT_TO', parsed.data, bucketKeys))
  const { ASSETS_URL } = parsed.data ?? {}
  // Cookies don't distinguish ports.
  if (
    ASSETS_URL !== undefined &&
    hostOf(ASSETS_URL) === hostOf(parsed.data?.PUBLIC_URL ?? 'http://localhost')
  )
    problems.push('ASSETS_URL: must have another host name than PUBLIC_URL')
  if (parsed.data?.BLOB_STORE === 's3')
    problems.push(...missingFor('BLOB_STORE=s3', parsed.data, ['S3_BUCKET', ...bucketKeys]))
  if (parsed.data?.DATABASE_POOLING === 'transaction')
    problems.push(
      ...missingFor('DATABASE_POOLING=transaction', parsed.data, ['DATABASE_URL', 'DATABASE_DIRECT_URL']),
    )
  if (parsed.data?.DATABASE_DIRECT_URL !== undefined && parsed.data.DATABASE_URL === undefined)
    problems.push('DATABASE_URL: is required with DATABASE_DIRECT_URL')
  if (parsed.data?.OIDC_ISSUER !== undefined)
    problems.push(...missingFor('OIDC_ISSUER', parsed.data, ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']))
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(`These settings are wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  }
  return Object.freeze({ ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR) })
}

function hostOf(url: string): string {
  return new URL(url).hostname
}

const bucketKeys = ['S3_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

function missingFor(by: string, config: Config, needed: readonly (keyof Config)[]): string[] {
  return needed.filter((name) => config[name] === undefined).map((name) => `${name}: is required with ${by}`)
}

/** Variables that child processes inherit. All others may contain secrets. */
const inheritedVariables = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_COMPILE_CACHE',
]

/** The environment of child processes. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const inherited: Record<string, string> = {}
  for (const name of inheritedVariables) {
    if (environment[name]) inherited[name] = environment[name]
  }
  return inherited
}

/** The names of all settings, for the Helm chart: those that must be in a Secret, and the others. */
export function settingNames(): { settings: string[]; secrets: string[] } {
  const secrets: readonly string[] = secretSettings
  return {
    settings: Object.keys(settings).filter((name) => !secrets.includes(name)),
    secrets: [...secrets],
  }
}

/** The text of .env.example, derived from the settings above. */
export function environmentExample(): string {
  const lines = [
    '# Settings of the Vedette server. Generated from packages/server/src/config.ts; do not edit.',
    '',
  ]
  for (const [name, schema] of Object.entries(settings)) {
    const fallback = defaultOf(schema)
    const isSecret = secretSettings.some((secret) => secret === name)
    lines.push(`# ${schema.description}${isSecret ? ` (or ${name}_FILE: a file that contains it)` : ''}`)
    lines.push(`#${name}=${fallback ?? ''}`, '')
  }
  return lines.join('\n')
}

function defaultOf(schema: z.ZodType): string | undefined {
  const parsed = schema.safeParse(undefined)
  return parsed.success && parsed.data !== undefined ? String(parsed.data) : undefined
}
