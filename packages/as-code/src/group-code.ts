// The request that creates a check group, without secret values.
import { type CheckFields, definitionOf } from './check-code.ts'
import { creationAsCurl, type ServerAddress } from './curl.ts'

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

export function groupAsCurl(group: CheckFields, server: ServerAddress): string {
  return creationAsCurl(server, '/v2/check-groups', groupFields(group))
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  )
}
