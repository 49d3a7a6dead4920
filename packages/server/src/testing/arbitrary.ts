// Values for a schema, read off the schema itself: what it accepts, and what it should not.
import fc from 'fast-check'
import { z } from 'zod'

/** Fields that must name something that exists: an id is chosen from what the test made. */
export type Known = Record<string, fc.Arbitrary<unknown>>

const wildText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '%', '_', "'; drop table checks; --", '{{x}}', '\u{1F600}', '***'),
  },
)

export function validFor(schema: z.ZodType, known: Known = {}): fc.Arbitrary<unknown> {
  return build(schema, known).filter((value) => schema.safeParse(value).success)
}

function build(schema: z.ZodType, known: Known): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return buildObject(schema, known)
  if (schema instanceof z.ZodArray) {
    const { minimum = 0, maximum = 4 } = bagOf(schema)
    const element = schema.element as z.ZodType
    const item = build(element, known).filter((value) => element.safeParse(value).success)
    return fc.array(item, {
      minLength: minimum,
      maxLength: Math.max(minimum, Math.min(maximum, minimum + 3)),
    })
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) {
    return build(schema.unwrap() as z.ZodType, known)
  }
  if (schema instanceof z.ZodNullable)
    return fc.option(build(schema.unwrap() as z.ZodType, known), { freq: 4 })
  if (schema instanceof z.ZodUnion) {
    return fc.oneof(...(schema.options as z.ZodType[]).map((option) => build(option, known)))
  }
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...(schema.options as string[]))
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNumber) return buildNumber(schema)
  if (schema instanceof z.ZodNull) return fc.constant(null)
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 1 }))
  // What runs before a schema (z.preprocess) lets more in than the schema; the schema itself says what is meant.
  if (schema instanceof z.ZodPipe)
    return buildIgnored(schema) ?? build(schema._zod.def.out as z.ZodType, known)
  if (schema._zod.def.type === 'string') return buildString(schema)
  return fc.jsonValue({ maxDepth: 2 })
}

function buildObject(schema: z.ZodObject, known: Known): fc.Arbitrary<unknown> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {}
  const requiredKeys: string[] = []
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = field as z.ZodType
    fields[name] = known[name] ?? build(type, known).filter((value) => type.safeParse(value).success)
    if (!type.safeParse(undefined).success) requiredKeys.push(name)
  }
  return fc.record(fields, { requiredKeys, noNullPrototype: true })
}

function buildNumber(schema: z.ZodNumber): fc.Arbitrary<unknown> {
  const { minimum = -1e6, maximum = 1e6, format } = bagOf(schema)
  const min = Math.max(minimum, -2_147_483_648)
  const max = Math.min(maximum, 2_147_483_647)
  if (format !== undefined) return fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
  // Numbers that JSON carries unchanged.
  return fc.integer({ min: Math.ceil(min * 4), max: Math.floor(max * 4) }).map((quarter) => quarter / 4)
}

/** What is sent back and ignored: only the document says what it looks like. */
function buildIgnored(schema: z.ZodType): fc.Arbitrary<unknown> | undefined {
  const { format, enum: values } = schema.meta() ?? {}
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (format === 'uuid') return fc.uuid()
  return format === 'date-time' ? anInstant : undefined
}

function buildString(schema: z.ZodType): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1000, format, patterns } = bagOf(schema)
  if (format === 'guid' || format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.emailAddress()
  if (format === 'datetime') return anInstant
  if (format === 'url') return aUrl
  const plain = wildText.map((text) => text.padEnd(minimum, 'a').slice(0, maximum))
  const shaped = [...(patterns ?? [])].map((pattern) =>
    fc.stringMatching(new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))),
  )
  // A rule that is code can't be read off: one of the usual shapes will fit.
  return fc
    .oneof(plain, ...shaped, aUrl, anInstant, aUsualText, fc.uuid(), fc.emailAddress())
    .filter((text) => schema.safeParse(text).success)
}

const usual = ['example.com', '192.0.2.1', '+4915112345678', '#alerts', '@ann', '#A1B2C3', 'ann@example.com']
const aUsualText = fc.constantFrom(...usual)
const aUrl = fc.webPath().map((path) => `https://example.com${path}`)
const anInstant = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

interface Bag {
  minimum?: number
  maximum?: number
  format?: string
  patterns?: Set<RegExp>
}

function bagOf(schema: z.ZodType): Bag {
  return schema._zod.bag as Bag
}

const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, -1, 0.5, 1e300, '', [], {}, true, 'x'.repeat(5000), '\u0000', 2_147_483_648, '{}'),
  fc.array(fc.constant('a'), { minLength: 300, maxLength: 300 }),
)

/** A valid body with one thing made wrong somewhere, or plain nonsense. It may be valid still: the schema judges. */
export function spoiledFor(schema: z.ZodType, known: Known = {}): fc.Arbitrary<unknown> {
  const spoiled = fc
    .tuple(build(schema, known), fc.nat(), nonsense, fc.boolean())
    .map(([body, where, value, isRemoved]) => spoil(body, where, value, isRemoved))
  return fc.oneof({ weight: 5, arbitrary: spoiled }, { weight: 1, arbitrary: nonsense })
}

function spoil(body: unknown, where: number, value: unknown, isRemoved: boolean): unknown {
  const copy = structuredClone(body)
  const places = placesOf(copy)
  const place = places[where % Math.max(1, places.length)]
  if (place === undefined) return value
  if (isRemoved && !Array.isArray(place.holder)) delete place.holder[place.name]
  else place.holder[place.name] = value
  return copy
}

function placesOf(value: unknown): { holder: Record<string, unknown>; name: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesOf(holder[name])])
}
