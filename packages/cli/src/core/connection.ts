// The server that a command talks to: options, then the environment, then .env of the directory, then `vedette login`.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type Client, createClient } from '@vedette/contracts'
import { readSettings, type Settings } from '../config.ts'
import { readStoredLogin } from './stored-login.ts'

export interface Connection {
  url: string
  /** Where the published CLI receives results. */
  mqttUrl: string
  apiKey: string
  accountId: string
}

/** As given on the command line. */
export interface ConnectionOptions {
  url?: string | undefined
  key?: string | undefined
  account?: string | undefined
}

/** The command can't be done: one line on stderr, exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/**
 * Throws a CommandError that says how to set what is missing. A stored key is sent only to the address that it was stored
 * for: an .env file of somebody else's project must not receive it.
 */
export function readConnection(
  options: ConnectionOptions = {},
  environment: Settings = readSettings(),
): Connection {
  const settings = withDotenv(environment)
  const stored = readStoredLogin(environment)
  const givenUrl = options.url ?? settings.apiUrl
  const url = normalizeUrl(givenUrl ?? stored?.url ?? missing('address', '--url URL', 'CHECKLY_API_URL'))
  const login = stored?.url === url ? stored : null
  return {
    url,
    mqttUrl: settings.mqttUrl ?? mqttUrlOf(url),
    apiKey:
      options.key ?? settings.apiKey ?? login?.apiKey ?? missing('API key', null, 'CHECKLY_API_KEY', url),
    accountId:
      options.account ??
      settings.accountId ??
      login?.accountId ??
      missing('account', '--account ID', 'CHECKLY_ACCOUNT_ID', url),
  }
}

export function openClient(
  connection: Omit<Connection, 'accountId' | 'mqttUrl'> & { accountId?: string },
  timeoutMs = 30_000,
): Client {
  const { url: baseUrl, apiKey, accountId } = connection
  return createClient({ baseUrl, apiKey, timeoutMs, ...(accountId !== undefined && { accountId }) })
}

/** http://host → ws://host: results come over a WebSocket on the same port. */
export function mqttUrlOf(url: string): string {
  return url.replace(/^http/, 'ws')
}

export function normalizeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CommandError(
      `"${text}" isn't the address of a server: it begins with http:// or https://, such as https://monitoring.example.com.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('The address must not contain a user name or a password: use the API key.')
  }
  return url.href.replace(/\/+$/, '')
}

/** The published CLI reads this file too; variables of the environment win. */
function withDotenv(settings: Settings): Settings {
  if (!settings.readsDotenv) return settings
  const { apiUrl, mqttUrl, apiKey, accountId } = readSettings(readDotenv())
  return {
    ...settings,
    apiUrl: settings.apiUrl ?? apiUrl,
    mqttUrl: settings.mqttUrl ?? mqttUrl,
    apiKey: settings.apiKey ?? apiKey,
    accountId: settings.accountId ?? accountId,
  }
}

function readDotenv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch {
    return {}
  }
}

function missing(what: string, option: string | null, variable: string, url?: string): never {
  const where = url === undefined ? 'of a server' : `for ${url}`
  const ways = [option, `the variable ${variable}`].filter((way) => way !== null).join(' or ')
  const login = url === undefined ? 'vedette login' : `vedette login --url ${url}`
  throw new CommandError(`No ${what} ${where} is set: run "${login}", or set ${ways}.`)
}
