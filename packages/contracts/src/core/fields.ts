// Field shapes that several resources share.
import { z } from 'zod'
import { isRecord } from './objects.ts'

const httpUrlPattern = /^https?:\/\/[^\s/?#]+[^\s]*$/i

/** spec: URL fields take only http and https. */
export const HttpUrl = z
  .string()
  .max(2048)
  .regex(httpUrlPattern, 'must be an http or https URL')
  .refine((value) => URL.canParse(value), 'must be a valid URL')
  .meta({ format: 'uri' })

/** An empty string means "none" in bodies of existing clients. */
export const HttpUrlOrEmpty = z.union([z.literal(''), HttpUrl])

/** A signed link. Its path may differ between releases. */
export const PageLink = z
  .string()
  .meta({ format: 'uri' })
  .describe('Opens a page about it, without a login, for 30 days; `vedette links revoke` ends it earlier')

export const Uuid = z.guid()

/** Serial ids are PostgreSQL integers. */
export const SerialId = z.int().min(1).max(2_147_483_647)

export const Timestamp = z.iso.datetime({ offset: true })

const monthAndDay =
  '((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|[12]\\d))'
const day = `(19[7-9]\\d|[2-9]\\d{3})-${monthAndDay}`
const time = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?'
const zone = '(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?'
const datePattern = new RegExp(`^${day}([T ]${time}${zone})?$`)

/** ISO 8601 with or without a time, so its format isn't `date-time`. Stored as an instant (`instantOf`). */
export const DateInput = z
  .string()
  .max(40)
  .regex(datePattern, 'must be an ISO 8601 date from 1970 to 9999')
  .refine(isRealDate, 'must be a date from 1970 to 9999')

/** A date without a zone is in UTC, whatever the zone of the server. */
export function instantOf(date: string): Date {
  const hasTime = date.length > 10
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/.test(date.slice(10))
  return new Date(hasTime && !hasZone ? `${date.replace(' ', 'T')}Z` : date)
}

/** Date.parse reads February 30 as March 2. */
function isRealDate(date: string): boolean {
  const day = date.slice(0, 10)
  const midnight = Date.parse(day)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return false
  const time = instantOf(date).getTime()
  return time >= Date.UTC(1970, 0, 1) && time < Date.UTC(10_000, 0, 1)
}

/** Limit for the part before the @ (RFC 5321). */
const maxLocalPart = 64

export const Email = z
  .email()
  .max(320)
  .refine((address) => address.lastIndexOf('@') <= maxLocalPart, 'must be an email address')

/** As read: addresses that an earlier rule accepted are still shown. */
export const EmailRead = z.string().meta({ format: 'email' })

interface IgnoredSchema {
  type: string
  format?: string
  enum?: readonly string[]
  nullable?: boolean
  deprecated?: boolean
  description?: string
  properties?: Record<string, IgnoredSchema>
  items?: IgnoredSchema
}

/** For fields that clients send back as they read them: documented with their type, checked, and not stored. */
export function ignoredField(schema: IgnoredSchema) {
  return z
    .unknown()
    .refine((value) => isOfType(schema, value), `must be ${describeType(schema)}`)
    .transform(() => undefined)
    .meta({ description: 'Ignored: may be sent back as it was read', ...schema })
    .optional()
}

const formats: Record<string, z.ZodType> = { uuid: Uuid, 'date-time': Timestamp }

function describeType({ type, format, enum: values }: IgnoredSchema): string {
  if (values !== undefined) return `one of ${values.join(', ')}`
  return format === undefined ? `of type ${type}` : `of type ${type}, format ${format}`
}

/** Refuses what the document excludes, although the value isn't stored. */
function isOfType(schema: IgnoredSchema, value: unknown): boolean {
  const { type, nullable, properties, items, format, enum: values } = schema
  if (value === null) return nullable === true
  if (values !== undefined) return values.some((allowed) => allowed === value)
  if (format !== undefined && formats[format]?.safeParse(value).success === false) return false
  if (type === 'array') {
    return Array.isArray(value) && value.every((item) => items === undefined || isOfType(items, item))
  }
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') {
    if (!isRecord(value)) return false
    return Object.entries(properties ?? {}).every(
      ([name, field]) => value[name] === undefined || isOfType(field, value[name]),
    )
  }
  return typeof value === type
}

/** A field beyond the spec: always present, but not required in the document, so that responses of the spec fit it too. */
export const addition = <T extends z.ZodType>(schema: T): T => schema.meta({ [additionMark]: true })

export const additionMark = 'x-addition'

export const Tags = z.array(z.string().min(1).max(200)).max(200)

export const KeyValue = z
  .object({
    key: z.string().min(1).max(1000),
    value: z.string().max(100_000),
    locked: z.boolean().default(false),
  })
  .meta({ id: 'KeyValue' })

export const VariableKey = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and underscores, not beginning with a digit')

/** A variable of a check or a group. */
export const EnvironmentVariable = z
  .object({
    key: VariableKey,
    value: z.string().max(100_000),
    locked: z.boolean().default(false),
    secret: z.boolean().default(false),
  })
  .meta({ id: 'EnvironmentVariable' })

/** As read: the value of a secret one is null. */
export const EnvironmentVariableRead = EnvironmentVariable.extend({ value: z.string().nullable() }).meta({
  id: 'EnvironmentVariableRead',
})

export const BasicAuth = z
  .object({ username: z.string().max(1000), password: z.string().max(10_000) })
  .meta({ id: 'BasicAuth' })

/** An access key of a dashboard or private location. */
export const AccessKey = z
  .object({
    id: Uuid,
    rawKey: z.string().optional().describe('The whole key; only in the response that creates it'),
    maskedKey: z.string().describe('The last characters of the key'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'AccessKey' })

export const IssuedKey = AccessKey.required({ rawKey: true }).meta({ id: 'IssuedKey' })
