// Variables and snippets as code. There are no constructs for them, so only as requests.
import { variableOf } from './check-code.ts'
import { apiCallAsCurl, type ServerAddress } from './curl.ts'
import { Reference } from './source.ts'

interface VariableFields {
  key: string
  value: string | null
  locked: boolean
  secret: boolean
}

/** The value of a secret, or of a locked variable, isn't part of it. */
export function variableAsCurl(
  { key, value, locked, secret }: VariableFields,
  server: ServerAddress,
): string {
  const isHidden = secret || locked || value === null
  const body = {
    key,
    value: isHidden ? new Reference(variableOf(key)) : value,
    ...(locked ? { locked } : {}),
    ...(secret ? { secret } : {}),
  }
  return apiCallAsCurl(server, { method: 'POST', path: '/v1/variables', body })
}

export function snippetAsCurl(
  { name, script }: { name: string; script: string },
  server: ServerAddress,
): string {
  return apiCallAsCurl(server, { method: 'POST', path: '/v1/snippets', body: { name, script } })
}
