// Command lines that can be pasted into a shell.
import { Reference } from './source.ts'

export interface HttpRequest {
  method: string
  url: string
  headers?: Record<string, unknown> | undefined
  data?: string | undefined
}

/** In single quotes, which a shell doesn't expand. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

export interface ServerAddress {
  origin: string
  accountId: string
}

/** A request to the API; the key comes from the environment. */
export function apiCallAsCurl(
  { origin, accountId }: ServerAddress,
  { method, path, body }: { method: string; path: string; body: unknown },
): string {
  const data = JSON.stringify(
    body,
    (_, value: unknown) => (value instanceof Reference ? `$${value.name}` : value),
    2,
  )
  return [
    `curl --request ${method} ${quoteForShell(origin + path)}`,
    '--header "Authorization: Bearer $VEDETTE_API_KEY"',
    `--header ${quoteForShell(`x-service-account: ${accountId}`)}`,
    "--header 'content-type: application/json'",
    `--data-raw ${quoteForShell(data)}`,
  ].join(' \\\n  ')
}

export function creationAsCurl(server: ServerAddress, path: string, body: object): string {
  return apiCallAsCurl(server, { method: 'POST', path, body })
}

/** Headers that curl sets itself, or that describe a body it doesn't send. */
const ownHeaders = ['host', 'content-length', 'connection', 'accept-encoding']

export function requestAsCurl({ method, url, headers = {}, data = '' }: HttpRequest): string {
  const lines = [`curl ${method === 'GET' ? '' : `--request ${quoteForShell(method)} `}${quoteForShell(url)}`]
  for (const [name, value] of Object.entries(headers)) {
    if (!ownHeaders.includes(name.toLowerCase()))
      lines.push(`--header ${quoteForShell(`${name}: ${String(value)}`)}`)
  }
  if (data !== '') lines.push(`--data-raw ${quoteForShell(data)}`)
  return lines.join(' \\\n  ')
}
