import { getMeForCli, listAccountsForCli } from '@vedette/contracts'
import type { ClientCommand, Input, Output } from '../core/client-command.ts'
import { CommandError, mqttUrlOf, normalizeUrl, openClient } from '../core/connection.ts'
import { callServer, notVedette } from '../core/server-calls.ts'
import { readStoredLogin, storeLogin } from '../core/stored-login.ts'

export const login: ClientCommand = {
  usage: 'login [--url URL] [--key KEY] [--account ID]',
  summary: 'checks an API key and stores it, for this command and for the published CLI',
  options: {
    url: { type: 'string', summary: 'address of the server, such as https://monitoring.example.com' },
    key: { type: 'string', summary: 'API key; "-" reads it from the standard input' },
    account: { type: 'string', summary: 'id of the account, if the key reaches several' },
  },
  run: logIn,
}

interface Reached {
  id: string
  name: string
}

async function logIn(input: Input): Promise<Output> {
  const url = await readUrl(input)
  const apiKey = await readKey(input, url)
  const { user, accounts } = await callServer(url, async () => {
    const client = openClient({ url, apiKey })
    return { user: await client.call(getMeForCli), accounts: await client.call(listAccountsForCli) }
  })
  if (!isIdentified(user) || !Array.isArray(accounts)) throw new CommandError(notVedette(url))
  const account = await chooseAccount(input, accounts)
  const files = storeLogin(input.settings, { url, apiKey, accountId: account.id, accountName: account.name })
  const name = user.name ?? user.email ?? 'a service key'
  const shadowed = shadowingVariables(input)
  return {
    json: {
      url,
      user: { id: user.id, name: user.name, email: user.email },
      account: { id: account.id, name: account.name },
      files,
      shadowedBy: shadowed,
    },
    text: [
      `Logged in to ${url} as ${name}, account "${account.name}" (${account.id}).`,
      `Stored in ${files.join(', ')}.`,
      '',
      "The published CLI reads the key and the account there. It can't store the address; in each shell:",
      '  eval "$(vedette env)"',
      'or put these lines into the file .env of a project:',
      '  CHECKLY_ENV=local',
      `  CHECKLY_API_URL=${url}`,
      `  CHECKLY_MQTT_URL=${mqttUrlOf(url)}`,
      ...shadowed.map(
        (variable) => `Note: ${variable} is set in this shell and is used instead of the login.`,
      ),
    ].join('\n'),
  }
}

async function readUrl({ settings, terminal, text }: Input): Promise<string> {
  const given = text('url') ?? settings.apiUrl
  if (given !== undefined) return normalizeUrl(given)
  if (!terminal.isInteractive) {
    throw new CommandError('The address of the server is missing: use --url URL, or set CHECKLY_API_URL.')
  }
  const suggested = readStoredLogin(settings)?.url ?? 'http://127.0.0.1:3000'
  return normalizeUrl((await terminal.ask(`Address of the server [${suggested}]: `)) || suggested)
}

async function readKey({ settings, terminal, text }: Input, url: string): Promise<string> {
  const given = text('key') ?? settings.apiKey
  const key = given !== undefined && given !== '-' ? given : await askKey()
  if (key === '' || /[^\x21-\x7e]/.test(key)) {
    throw new CommandError(
      'The API key is missing or has characters that no key has. The app makes keys under Settings; on the machine of the server, "vedette keys create" does.',
    )
  }
  return key

  async function askKey(): Promise<string> {
    if (given === undefined && terminal.isInteractive) return terminal.askSecret(`API key for ${url}: `)
    return (await terminal.readInput()).trim()
  }
}

async function chooseAccount({ terminal, text }: Input, accounts: readonly Reached[]): Promise<Reached> {
  const wanted = text('account')
  if (wanted !== undefined) {
    const found = accounts.find(({ id }) => id === wanted.toLowerCase())
    return found ?? refuse(`The key doesn't reach the account ${wanted}.`, accounts)
  }
  const [first, ...others] = accounts
  if (first === undefined) throw new CommandError('The key reaches no account: use another key.')
  if (others.length === 0) return first
  if (!terminal.isInteractive) return refuse('The key reaches several accounts.', accounts)
  const lines = accounts.map(({ id, name }, index) => `  ${index + 1}  ${name}  ${id}`)
  const answer = await terminal.ask(`${lines.join('\n')}\nWhich account [1]: `)
  const chosen = accounts[Number(answer || 1) - 1]
  return chosen ?? refuse(`"${answer}" isn't in the list.`, accounts)
}

function refuse(problem: string, accounts: readonly Reached[]): never {
  const lines = accounts.map(({ id, name }) => `  --account ${id}  ${name}`)
  throw new CommandError([`${problem} Choose one:`, ...lines].join('\n'))
}

/** Variables win over the login, in this command and in the published CLI. */
function shadowingVariables({ settings }: Input): string[] {
  const { apiUrl, apiKey, accountId } = settings
  const own = { CHECKLY_API_URL: apiUrl, CHECKLY_API_KEY: apiKey, CHECKLY_ACCOUNT_ID: accountId }
  return Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

function isIdentified(user: unknown): boolean {
  return typeof user === 'object' && user !== null && 'id' in user
}
