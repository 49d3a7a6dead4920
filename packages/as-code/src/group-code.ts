// A check group as code, without secret values.
import { type CheckFields, definitionOf } from './check-code.ts'
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { logicalIdOf } from './logical-id.ts'
import { toSource } from './source.ts'

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

export function groupAsCurl(group: CheckFields, server: ServerAddress): string {
  return creationAsCurl(server, '/v2/check-groups', groupFields(group))
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  )
}
