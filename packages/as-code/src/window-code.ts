// The request that creates a maintenance window.
import { creationAsCurl, type ServerAddress } from './curl.ts'

const serverFields = new Set([
  ...['id', 'created_at', 'updated_at'],
  ...['project', 'logicalId', 'projectBindings', 'drifted'],
])

export function windowAsCurl(window: object, server: ServerAddress): string {
  const isSet = (value: unknown) =>
    value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
  const body = Object.entries(window).filter(([name, value]) => !serverFields.has(name) && isSet(value))
  return creationAsCurl(server, '/v1/maintenance-windows', Object.fromEntries(body))
}
