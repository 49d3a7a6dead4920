// How the Go library of the public service writes and reads resources. The tables beside this file say, for each resource, what is
// sent, what is left out when it is empty, and which statuses the library requires.

/** One attribute of a resource, by the name it has in JSON. */
export interface Attribute {
  value: unknown
  /** What is sent once it was removed, and what is read if that differs. Absent: it can't be removed. */
  removed?: { sent: unknown; read?: unknown }
  /** The library doesn't read it back, or the provider doesn't compare it. */
  isWriteOnly?: boolean
}

/** Marks a value that isn't sent at all (`omitempty`). */
export const leftOut = Symbol('left out')

/** Can't be removed. */
export const required = (value: unknown): Attribute => ({ value })

/** Sent also when it is empty. */
export const sent = (value: unknown, empty: unknown): Attribute => ({ value, removed: { sent: empty } })

/** Left out when it is empty. */
export const omitted = (value: unknown): Attribute => ({ value, removed: { sent: leftOut } })

/** Left out when it isn't set; the server has a default. */
export const defaulted = (value: unknown, read: unknown): Attribute => ({
  value,
  removed: { sent: leftOut, read },
})

/** Sent and ignored, such as the zero value of a time. */
export const ignored = (value: unknown): Attribute => ({ value, isWriteOnly: true })

export type Attributes = Readonly<Record<string, Attribute>>

export interface GoResource {
  title: string
  create: string
  /** The paths of one, from the response that created it. */
  read: (created: Created) => string
  /** Null: a change is a new resource. */
  update: ((created: Created) => string) | null
  remove: (created: Created) => string
  attributes: Attributes
  /** What an update changes first. */
  change: Readonly<Record<string, unknown>>
  /** 201 where absent. */
  createStatus?: number
}

interface Created {
  id: string | number
  dashboardId?: string
  key?: string
}

/** The JSON of a resource; `without` was removed by its user. */
export function marshal(attributes: Attributes, without?: string): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, { value, removed }] of Object.entries(attributes)) {
    const written = name === without && removed !== undefined ? removed.sent : value
    if (written !== leftOut) body[name] = written
  }
  return body
}

/** The JSON of a resource without any attribute that can be removed. */
export function marshalReduced(attributes: Attributes): Record<string, unknown> {
  return Object.keys(attributes).reduce((body, name) => {
    const { removed } = attributes[name] ?? {}
    if (removed?.sent === leftOut) delete body[name]
    else if (removed) body[name] = removed.sent
    return body
  }, marshal(attributes))
}

/** What differs from what was sent, as the provider compares: absent, null and empty are the same to the library. */
export function differences(
  sentBody: Record<string, unknown>,
  attributes: Attributes,
  read: unknown,
): string[] {
  return Object.entries(attributes).flatMap(([name, { isWriteOnly, removed }]) => {
    if (isWriteOnly) return []
    const expected = name in sentBody ? sentBody[name] : removed?.read
    return compare(expected, (read as Record<string, unknown>)[name], name)
  })
}

function compare(expected: unknown, actual: unknown, path: string): string[] {
  if (isEmpty(expected)) {
    return isEmpty(actual) ? [] : [`${path}: expected nothing, read ${JSON.stringify(actual)}`]
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => compare(item, actual[index], `${path}.${index}`))
  }
  if (
    typeof expected === 'object' &&
    typeof actual === 'object' &&
    actual !== null &&
    !Array.isArray(expected)
  ) {
    return Object.entries(expected ?? {}).flatMap(([name, value]) =>
      // The server fills in defaults below objects, which the provider doesn't compare.
      isEmpty(value) ? [] : compare(value, (actual as Record<string, unknown>)[name], `${path}.${name}`),
    )
  }
  if (Object.is(expected, actual)) return []
  return [`${path}: expected ${JSON.stringify(expected)}, read ${JSON.stringify(actual)}`]
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
