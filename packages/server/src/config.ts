// Everything the server reads from its environment: parsed once, frozen, handed in.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isNetwork } from '@vedette/safeguards/address-policy'
import { z } from 'zod'

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const serviceUrl = (standard: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(standard)

/** As a text: the built-in agent reads its own. */
const networks = z
  .string()
  .refine((text) => text.split(',').every((part) => part.trim() === '' || isNetwork(part)), {
    error: 'must be networks such as 10.0.0.0/8, with commas between',
  })
  .optional()

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
    .describe('Largest request body, counted after decompression'),
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
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Bucket: where a service that speaks the S3 protocol answers'),
  S3_BUCKET: z
    .string()
    .regex(/^[\w.-]{1,255}$/, 'must be letters, digits, dots and hyphens')
    .optional()
    .describe('Bucket: its name; addressed by path'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Bucket: its region'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('Bucket: the key to sign with'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('Bucket: its secret'),
  S3_PREFIX: z
    .string()
    .regex(/^[\w./-]*$/, 'must be letters, digits, dots, hyphens and slashes')
    .default('')
    .describe('Bucket: what the names of all objects begin with'),
  CODE_BUNDLE_MAX_MB: whole(1, 10_000).default(500).describe('Largest archive of a Playwright suite'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token of GET /metrics; without it only this machine itself may read them'),
  AGENT: z
    .enum(['on', 'off'])
    .default('on')
    .describe('The built-in agent, which serves the data-center locations that no other agent serves'),
  AGENT_LOCATIONS: z
    .string()
    .regex(/^[a-z0-9-]+(\s*,\s*[a-z0-9-]+)*$/, 'must be locations, separated by commas')
    .optional()
    .describe('Built-in agent: the only locations it serves, such as eu-west-1,us-east-1'),
  AGENT_NETWORK: z
    .enum(['private', 'public'])
    .default('private')
    .describe(
      'Built-in agent: public refuses private, loopback and CGNAT targets. A must with several accounts',
    ),
  AGENT_ALLOW_NETWORKS: networks.describe(
    'Built-in agent: networks it may reach all the same, such as 10.1.0.0/16,fd00::/8',
  ),
  AGENT_DENY_NETWORKS: networks.describe('Built-in agent: networks it must not reach besides'),
  AGENT_HEALTH_PORT: whole(0, 65_535)
    .default(8081)
    .describe('Built-in agent: port of its health endpoints; done without where it is taken'),
  JOB_CONCURRENCY: whole(1, 1000)
    .optional()
    .describe('Built-in agent: runs of code at once; without it one per processor core'),
  NETWORK_CONCURRENCY: whole(1, 10_000)
    .default(500)
    .describe('Built-in agent: runs of network checks at once'),
  AGENT_RUNTIMES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Built-in agent: folder of the runtimes that scripts run in; without it in DATA_DIR'),
  AGENT_RUNTIMES: z
    .string()
    .optional()
    .describe(
      'Built-in agent: runtimes to install when it starts (2026.04), with commas between; none: no runtime',
    ),
  CHROMIUM_PATH: z
    .string()
    .min(1)
    .optional()
    .describe("Built-in agent: Chromium to use instead of Playwright's own download or the system's"),
  PLAYWRIGHT_BROWSERS_PATH: z
    .string()
    .min(1)
    .optional()
    .describe("Built-in agent: folder of Playwright's own browser downloads"),
  ALERTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: nothing is decided or sent, for a copy of an installation that must not page anyone'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?#]+/, 'must be smtp://user:password@host:port or smtps://…')
    .optional()
    .describe('Mail server for alerts, subscribers and owners; without it nothing is mailed'),
  SMTP_FROM: z
    .string()
    .min(3)
    .max(320)
    .default('Vedette <alerts@localhost.local>')
    .describe('Sender of mails'),
  CHANNEL_NETWORK: z
    .enum(['private', 'public'])
    .default('private')
    .describe(
      'Calls to alert channels: public refuses private, loopback and CGNAT addresses. A must with several accounts',
    ),
  CHANNEL_ALLOW_NETWORKS: networks.describe(
    'Networks that channels may be reached in all the same, such as 10.1.0.0/16,fd00::/8',
  ),
  CHANNEL_DENY_NETWORKS: networks.describe('Networks that channels must not be reached in besides'),
  SLACK_API_URL: serviceUrl('https://slack.com/api').describe('Slack app channels: where Slack answers'),
  SLACK_BOT_TOKEN: z
    .string()
    .optional()
    .describe('Slack app channels: bot token, unless an account has a variable of this name'),
  PAGERDUTY_URL: serviceUrl('https://events.pagerduty.com').describe('Where PagerDuty takes events'),
  OPSGENIE_URL: serviceUrl('https://api.opsgenie.com').describe('Where Opsgenie answers, region US'),
  OPSGENIE_EU_URL: serviceUrl('https://api.eu.opsgenie.com').describe('Where Opsgenie answers, region EU'),
  TWILIO_URL: serviceUrl('https://api.twilio.com').describe('SMS and calls: Twilio, or what speaks its API'),
  TWILIO_ACCOUNT_SID: z.string().optional().describe('SMS and calls: the account there'),
  TWILIO_AUTH_TOKEN: z.string().optional().describe('SMS and calls: its token'),
  TWILIO_FROM: z
    .string()
    .regex(/^\+[1-9]\d{1,14}$/, 'must be a phone number in E.164 form')
    .optional()
    .describe('SMS and calls: the number they come from'),
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
    .default('owner@localhost.local')
    .describe('Address of the user made at the first start'),
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
      problems.push(`${name}_FILE: can't be read (${(cause as Error).message})`)
    }
  }
  const parsed = Environment.safeParse(values)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')}: ${issue.message}`)
  }
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
