// Everything the server reads from its environment: parsed once, frozen, handed in.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

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
const secretSettings = ['DATABASE_URL', 'SECRET_KEY'] as const

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
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(`These settings are wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  }
  return Object.freeze({ ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR) })
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
