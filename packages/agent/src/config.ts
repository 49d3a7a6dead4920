// Everything the agent reads from its environment: parsed once and frozen. Node itself reads NODE_EXTRA_CA_CERTS and
// NODE_TLS_REJECT_UNAUTHORIZED.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { isNetwork } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

/** Case doesn't matter. */
const word = <const W extends readonly string[]>(words: W) => {
  const error = `must be one of ${words.join(', ')}`
  return z
    .string()
    .transform((text) => words.find((one) => one.toLowerCase() === text.trim().toLowerCase()) ?? '')
    .pipe(z.enum(words, { error }))
}

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

const networks = list
  .refine((parts) => parts.every(isNetwork), {
    error: 'must be networks such as 10.0.0.0/8, separated by commas',
  })
  .default([])

const isServerUrl = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[?#]/.test(text)

const text = z.string().min(1)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

const settings = {
  API_KEY: z
    .string({ error: 'is missing: the key of the private location that this agent serves' })
    .min(1)
    .describe('Key of the private location, or an operator key of a data-center agent'),
  SERVER_URL: z
    .string({ error: 'is missing: the address of the Vedette server' })
    .pipe(list)
    .refine((urls) => urls.length > 0 && urls.every(isServerUrl), {
      error: 'must be http:// or https:// addresses, separated by commas',
    })
    .transform((urls) => urls.map((url) => url.replace(/\/+$/, '')))
    .describe('Address of the server, or several separated by commas: if one fails, the agent uses the next'),
  AGENT_LOCATIONS: list
    .default([])
    .describe(
      'Data-center agents: the locations to serve, separated by commas; empty: all without another agent',
    ),
  AGENT_NAME: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Name of this agent in results and alerts; default: the host name'),
  AGENT_DATA_DIR: text
    .default('./agent-data')
    .describe('Directory where results are kept until the server has them; one agent per directory'),
  AGENT_RUNTIMES_DIR: text
    .optional()
    .describe(
      'Directory of the runtimes that scripts run in, about 1 GB each; default: beside AGENT_DATA_DIR',
    ),
  AGENT_RUNTIMES: list
    .pipe(
      z.array(z.enum([...runtimeIds, 'none'], { error: `must be one of ${runtimeIds.join(', ')}, or none` })),
    )
    .default([])
    .describe(
      'Runtimes to install when the agent starts, separated by commas; others follow when a check needs them. none: install nothing, ever',
    ),
  AGENT_BROWSER_INSTALLER: text
    .optional()
    .describe(
      'JavaScript program that installs a browser when the first check needs one; npm start names its own; default: nothing is installed',
    ),
  SUITE_CACHE_MB: whole(0, 10_000_000)
    .default(5_000)
    .describe(
      'Disk space for installed packages of Playwright suites, all accounts together; 0: every run installs',
    ),
  CHROMIUM_PATH: text
    .optional()
    .describe("Path of the Chromium to use instead of Playwright's own download or the system's"),
  PLAYWRIGHT_BROWSERS_PATH: text
    .optional()
    .describe("Directory of Playwright's own browser downloads; default: Playwright's default"),
  JOB_CONCURRENCY: whole(1, 1000)
    .optional()
    .describe('Maximum of concurrent code runs; default: one per processor core'),
  NETWORK_CONCURRENCY: whole(1, 10_000).default(500).describe('Maximum of concurrent runs of network checks'),
  BODY_MEMORY_MB: whole(26, 1_000_000)
    .default(256)
    .describe('Memory for response bodies beyond 256 kB each; runs wait until theirs fits'),
  LOG_LEVEL: word(['DEBUG', 'LOG', 'INFO', 'WARN', 'ERROR'])
    .default('INFO')
    .describe('Lowest level that is logged'),
  LOG_FORMAT: word(['text', 'json'])
    .optional()
    .describe('Format of log lines; default: text on a terminal, json elsewhere'),
  HTTPS_PROXY: httpUrl.optional().describe('Proxy for requests to an https:// server; checks do not use it'),
  HTTP_PROXY: httpUrl.optional().describe('Proxy for requests to an http:// server; checks do not use it'),
  NO_PROXY: z.string().optional().describe('Servers to reach without a proxy, separated by commas'),
  AGENT_HEALTH_PORT: whole(0, 65_535)
    .optional()
    .describe(
      'Port of /-/readiness, /-/liveness, /health and /metrics; default: 8081, or a free port if that is in use',
    ),
  AGENT_NETWORK: word(['private', 'public'])
    .default('private')
    .describe(
      'public: refuses targets in loopback, private, CGNAT and unique-local networks; required with several accounts',
    ),
  AGENT_SANDBOX: word(['auto', 'require', 'fallback'])
    .default('auto')
    .describe(
      'auto: user code is isolated by bubblewrap or not run; require: also with a user of its own, as root; fallback: with limits only where bubblewrap does not work, for code that you trust',
    ),
  AGENT_LIMITS: word(['auto', 'require'])
    .default('auto')
    .describe(
      'auto: the kernel limits memory, processes and CPU of each run of user code where the agent has a cgroup v2 of its own; require: otherwise code is not run',
    ),
  AGENT_ALLOW_NETWORKS: networks.describe(
    'Networks that are allowed although AGENT_NETWORK refuses them, e.g. 10.1.0.0/16',
  ),
  AGENT_DENY_NETWORKS: networks.describe('Networks that are always refused'),
  USE_OS_DNS_RESOLVER: word(['true', 'false'])
    .default('false')
    .describe("true: the operating system resolves the names of targets, instead of the agent's own queries"),
  MODEL_URL: httpUrl
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('OpenAI-compatible endpoint (up to /v1) whose model performs the prompts of agentic checks'),
  MODEL_NAME: text.default('gpt-5.1').describe('Name of the model'),
  MODEL_API_KEY: z.string().optional().describe('API key of the model; user code never sees it'),
  EXTERNAL_OBSERVABILITY: word(['on', 'off'])
    .default('on')
    .describe(
      "off: the agent's own errors are not reported to its server; they are never sent anywhere else",
    ),
  UV_THREADPOOL_SIZE: whole(1, 1024)
    .default(64)
    .describe(
      'Threads for disk access and for lookups by the operating system; Node reads it when the process starts',
    ),
  AGENT_PARENT_PID: whole(1, 2 ** 31)
    .optional()
    .describe('Set by the server for its built-in agent: the agent ends with that process'),
  AGENT_HEALTH_OPTIONAL: word(['true', 'false'])
    .default('false')
    .describe('true: runs without health endpoints if their port is in use'),
} satisfies Record<string, z.ZodType>

/** Their values never appear in a log, and X_FILE reads them from a file. */
const secretSettings: readonly string[] = [
  'API_KEY',
  'MODEL_API_KEY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
] satisfies (keyof typeof settings)[]

/** curl and other tools spell these in lower case. */
const lowerCaseToo = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']

const Environment = z.object(settings)

export type Config = Readonly<z.output<typeof Environment> & { AGENT_RUNTIMES_DIR: string }>

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const name of Object.keys(settings)) {
    // Compose files and shells don't distinguish an empty variable from an unset one.
    const value = environment[name] || (lowerCaseToo.includes(name) && environment[name.toLowerCase()])
    if (value) values[name] = value
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
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(`These settings are wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  }
  return Object.freeze({
    ...parsed.data,
    AGENT_DATA_DIR: resolve(parsed.data.AGENT_DATA_DIR),
    AGENT_RUNTIMES_DIR: runtimesDirOf(parsed.data),
  })
}

/** For `vedette runtime`, which needs neither a key nor a server. */
export function readRuntimesDir(environment: NodeJS.ProcessEnv = process.env): string {
  const { AGENT_RUNTIMES_DIR, AGENT_DATA_DIR, DATA_DIR } = environment
  // Default: the directory of the built-in agent, if there is a server here.
  const ofServer = join(DATA_DIR || './data', 'agent')
  const isServerHere = Boolean(DATA_DIR) || existsSync(ofServer)
  const dataDir = AGENT_DATA_DIR || (isServerHere ? ofServer : settings.AGENT_DATA_DIR.parse(undefined))
  return runtimesDirOf({ AGENT_DATA_DIR: dataDir, AGENT_RUNTIMES_DIR: AGENT_RUNTIMES_DIR || undefined })
}

/** For `vedette doctor`. */
export function readIsolationSettings({ AGENT_SANDBOX, AGENT_LIMITS }: NodeJS.ProcessEnv = process.env) {
  return {
    sandbox: settings.AGENT_SANDBOX.catch('auto').parse(AGENT_SANDBOX || undefined),
    limits: settings.AGENT_LIMITS.catch('auto').parse(AGENT_LIMITS || undefined),
  }
}

/** For `vedette runtime browsers`. */
export function readBrowserSettings(environment: NodeJS.ProcessEnv = process.env) {
  const { CHROMIUM_PATH, PLAYWRIGHT_BROWSERS_PATH } = environment
  return { chromiumPath: CHROMIUM_PATH || undefined, browsersPath: PLAYWRIGHT_BROWSERS_PATH || undefined }
}

/** All agents and tests of a checkout share one: an installation takes half a minute. */
function runtimesDirOf(dirs: { AGENT_DATA_DIR: string; AGENT_RUNTIMES_DIR?: string | undefined }): string {
  if (dirs.AGENT_RUNTIMES_DIR !== undefined) return resolve(dirs.AGENT_RUNTIMES_DIR)
  const isCheckout = import.meta.url.endsWith('.ts')
  if (isCheckout) return fileURLToPath(new URL('../../../node_modules/.vedette-runtimes', import.meta.url))
  return join(dirname(resolve(dirs.AGENT_DATA_DIR)), 'agent-runtimes')
}

const npmVariables =
  /^(PATH|HOME|TMPDIR|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY|npm_config_.*)$/i

/** npm gets the settings, proxies and certificates of the machine, and none of the agent's secrets. */
export function npmEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && npmVariables.test(name)) own[name] = value
  }
  return own
}

/** The names of all settings, for the Helm chart: those that must be in a Secret, and the others. */
export function settingNames(): { settings: string[]; secrets: string[] } {
  return {
    settings: Object.keys(settings).filter((name) => !secretSettings.includes(name)),
    secrets: [...secretSettings],
  }
}

/** The text of the agent's .env.example. */
export function environmentExample(): string {
  const lines = [
    '# Settings of the Vedette agent. Generated from packages/agent/src/config.ts; do not edit.',
    '',
  ]
  for (const [name, schema] of Object.entries(settings)) {
    const isSecret = secretSettings.includes(name)
    lines.push(`# ${schema.description}${isSecret ? ` (or ${name}_FILE: a file that holds it)` : ''}`)
    lines.push(`#${name}=${defaultOf(schema)}`, '')
  }
  return lines.join('\n')
}

function defaultOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined)
  return parsed.success && parsed.data !== undefined ? String(parsed.data) : ''
}
