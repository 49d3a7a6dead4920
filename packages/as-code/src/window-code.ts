// A maintenance window as code: the request that creates it, and the construct.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { logicalIdOf } from './logical-id.ts'
import { Expression, toSource } from './source.ts'

export interface WindowFields {
  name: string
  tags: readonly string[]
  startsAt: string
  endsAt: string
  repeatInterval: number | null
  repeatUnit: string | null
  repeatEndsAt: string | null
}

/** What the construct has. The API has more, such as the time zone and what is silenced. */
export function windowAsConstruct(window: WindowFields): string {
  const { name, tags, startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt } = window
  const props = {
    ...{ name, tags, startsAt: dateOf(startsAt), endsAt: dateOf(endsAt) },
    ...(repeatInterval === null
      ? {}
      : { repeatInterval, repeatUnit, ...(repeatEndsAt ? { repeatEndsAt: dateOf(repeatEndsAt) } : {}) }),
  }
  const id = logicalIdOf(name)
  return `import { MaintenanceWindow } from 'checkly/constructs'\n\nnew MaintenanceWindow('${id}', ${toSource(props)})\n`
}

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

const dateOf = (instant: string) => new Expression(`new Date('${instant}')`)
