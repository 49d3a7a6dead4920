// The command line that creates a resource by the API.
import { quoteForShell } from './curl.ts'
import { Reference } from './source.ts'

export interface Server {
  origin: string
  accountId: string
}

/** References become shell variables, which curl doesn't expand in quotes: the reader sees where a secret belongs. */
export function createCurl(path: string, body: object, { origin, accountId }: Server): string {
  const text = JSON.stringify(
    body,
    (_, value: unknown) => (value instanceof Reference ? `$${value.name}` : value),
    2,
  )
  return [
    `curl --request POST ${quoteForShell(origin + path)}`,
    '--header "Authorization: Bearer $VEDETTE_API_KEY"',
    `--header ${quoteForShell(`x-service-account: ${accountId}`)}`,
    "--header 'content-type: application/json'",
    `--data-raw ${quoteForShell(text)}`,
  ].join(' \\\n  ')
}
