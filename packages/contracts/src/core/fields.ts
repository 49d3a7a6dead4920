// Field shapes that several resources share.
import { z } from 'zod'

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

/** A signed link: not bound to a path, which differs between releases. */
export const PageLink = z
  .string()
  .meta({ format: 'uri' })
  .describe('Opens a page about it, without a login, for 30 days; `vedette links revoke` ends it before')

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

/** What clients send as a date: ISO 8601 with or without time, so no `date-time`; kept as an instant (`instantOf`). */
export const DateInput = z
  .string()
  .max(40)
  .regex(datePattern, 'must be an ISO 8601 date from 1970 to 9999')
  .refine(isRealDate, 'must be a date from 1970 to 9999')

/** One without a zone is read as UTC, wherever we run. */
export function instantOf(date: string): Date {
  const hasTime = date.length > 10
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/.test(date.slice(10))
  return new Date(hasTime && !hasZone ? `${date.replace(' ', 'T')}Z` : date)
}

/** JavaScript reads 30 February as 2 March. */
function isRealDate(date: string): boolean {
  const day = date.slice(0, 10)
  const midnight = Date.parse(day)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return false
  const time = instantOf(date).getTime()
  return time >= Date.UTC(1970, 0, 1) && time < Date.UTC(10_000, 0, 1)
}

/** Longer before the @ than this no mail server takes it (RFC 5321). */
const maxLocalPart = 64

export const Email = z
  .email()
  .max(320)
  .refine((address) => address.lastIndexOf('@') <= maxLocalPart, 'must be an email address')

/** As read: what was accepted once is shown, whatever the rule is today. */
export const EmailRead = z.string().meta({ format: 'email' })

interface IgnoredSchema {
  type: string
  [keyword: string]: unknown
}

/** Clients send back what they read: such a field stands in the document with its type, and is not kept. */
export function ignoredField(schema: IgnoredSchema) {
  return z
    .unknown()
    .refine((value) => isOfType(schema, value), `must be ${whatIs(schema)}`)
    .transform(() => undefined)
    .meta({ description: 'Ignored: may be sent back as it was read', ...schema })
    .optional()
}

const formats: Record<string, z.ZodType> = { uuid: Uuid, 'date-time': Timestamp }

function whatIs({ type, format, enum: values }: IgnoredSchema): string {
  if (Array.isArray(values)) return `one of ${values.join(', ')}`
  return format === undefined ? `of type ${type}` : `of type ${type}, format ${format}`
}

/** As the document has it: what it excludes is refused, though it would not be kept. */
function isOfType(schema: IgnoredSchema, value: unknown): boolean {
  const { type, nullable, properties, items, format, enum: values } = schema
  if (value === null) return nullable === true
  if (Array.isArray(values)) return values.includes(value)
  if (typeof format === 'string' && formats[format]?.safeParse(value).success === false) return false
  if (type === 'array') {
    return Array.isArray(value) && value.every((item) => isOfType((items ?? {}) as IgnoredSchema, item))
  }
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') {
    if (typeof value !== 'object' || Array.isArray(value)) return false
    const known = Object.entries((properties ?? {}) as Record<string, IgnoredSchema>)
    return known.every(([name, field]) => {
      const item = (value as Record<string, unknown>)[name]
      return item === undefined || isOfType(field, item)
    })
  }
  return type === undefined || typeof value === type
}

/** Told beyond the wire: always there, but not required in the document, so that what fits the wire fits it too. */
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

/** An access key of a dashboard or private location: `rawKey` only in the answer that creates it. */
export const AccessKey = z
  .object({
    id: Uuid,
    rawKey: z.string().optional().describe('The whole key; only in the answer that creates it'),
    maskedKey: z.string().describe('The last characters of the key'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'AccessKey' })

export const IssuedKey = AccessKey.required({ rawKey: true }).meta({ id: 'IssuedKey' })
