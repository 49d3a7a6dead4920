// A check group as code, without secret values.
import { type CheckFields, definitionOf } from './check-code.ts'
import { quoteForShell } from './curl.ts'
import { logicalIdOf } from './logical-id.ts'
import { Reference, toSource } from './source.ts'

/** What a group doesn't enforce has no line. */
function groupFields(group: CheckFields): Record<string, unknown> {
  const { concurrency, retryStrategy, doubleCheck: _, ...fields } = definitionOf(group)
  const shown = Object.entries(fields).filter(([, value]) => !isEmptyObject(value))
  return {
    ...Object.fromEntries(shown),
    ...(concurrency === 3 ? {} : { concurrency }),
    ...(retryStrategy === 'FALLBACK' || retryStrategy === undefined ? {} : { retryStrategy }),
  }
}

export function groupAsConstruct(group: CheckFields): string {
  const id = logicalIdOf(String(group.name ?? 'group'))
  return `import { CheckGroupV2 } from 'checkly/constructs'\n\nnew CheckGroupV2('${id}', ${toSource(groupFields(group))})\n`
}

export function groupAsCurl(group: CheckFields, server: { origin: string; accountId: string }): string {
  const body = JSON.stringify(
    groupFields(group),
    (_, value: unknown) => (value instanceof Reference ? `$${value.name}` : value),
    2,
  )
  return [
    `curl --request POST ${quoteForShell(`${server.origin}/v2/check-groups`)}`,
    '--header "Authorization: Bearer $VEDETTE_API_KEY"',
    `--header ${quoteForShell(`x-service-account: ${server.accountId}`)}`,
    "--header 'content-type: application/json'",
    `--data-raw ${quoteForShell(body)}`,
  ].join(' \\\n  ')
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  )
}
