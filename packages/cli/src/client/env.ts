import { type ClientCommand, type Input, type Output, UsageError } from '../core/client-command.ts'
import { readConnection } from '../core/connection.ts'

const shells: Readonly<Record<string, (name: string, value: string) => string>> = {
  bash: (name, value) => `export ${name}=${quote(value)}`,
  zsh: (name, value) => `export ${name}=${quote(value)}`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
}

export const env: ClientCommand = {
  usage: 'env [--shell SHELL] [--url URL] [--account ID]',
  summary: 'prints the variables that the published CLI, Terraform and Pulumi read: eval "$(vedette env)"',
  options: {
    shell: { type: 'string', summary: 'the syntax (bash)', values: Object.keys(shells) },
    url: { type: 'string', summary: 'address of the server, if not that of the login' },
    account: { type: 'string', summary: 'id of the account, if not that of the login' },
  },
  run: printVariables,
}

function printVariables({ settings, text }: Input): Output {
  const shell = text('shell') ?? 'bash'
  const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (write === undefined) {
    throw new UsageError(`There is no shell "${shell}": use ${Object.keys(shells).join(', ')}.`)
  }
  const connection = readConnection({ url: text('url'), account: text('account') }, settings)
  const variables = {
    // Only with this value does the published CLI read the addresses.
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: connection.url,
    CHECKLY_MQTT_URL: connection.mqttUrl,
    CHECKLY_API_KEY: connection.apiKey,
    CHECKLY_ACCOUNT_ID: connection.accountId,
  }
  const lines = Object.entries(variables).map(([name, value]) => write(name, value))
  return { json: variables, text: lines.join('\n') }
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`
}
