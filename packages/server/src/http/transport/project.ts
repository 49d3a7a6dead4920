// Reduces a response to the fields of its schema, so that columns never leak. Each schema is compiled once into plain
// functions: parsing each response with Zod would cost more than the rest of the request.
import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { fieldsOf, innerSchema, isLoose, type Schema } from './schema-parts.ts'

export type Project = (value: unknown) => unknown

const asIs: Project = (value) => value

/** Routes share most of their schemas. */
const compiled = new WeakMap<Schema, Project>()

export function projector(schema: Schema): Project {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const project = compile(schema)
  compiled.set(schema, project)
  return project
}

function compile(schema: Schema): Project {
  if (schema instanceof z.ZodObject) return objectProjector(schema)
  if (schema instanceof z.ZodArray) {
    const item = projector(schema.element)
    return item === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(item) : value)
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return discriminatedProjector(schema)
  if (schema instanceof z.ZodUnion) return unionProjector(schema)
  const inner = innerSchema(schema)
  return inner === undefined ? asIs : projector(inner)
}

function objectProjector(schema: z.ZodObject): Project {
  if (isLoose(schema)) return asIs
  const fields = fieldsOf(schema).map(([name, field]) => ({ name, project: projector(field) }))
  return (source) => {
    if (!isRecord(source)) return source
    const result: Record<string, unknown> = {}
    for (const { name, project } of fields) {
      const item = source[name]
      if (item !== undefined) result[name] = item === null || project === asIs ? item : project(item)
    }
    return result
  }
}

function discriminatedProjector(schema: z.ZodDiscriminatedUnion): Project {
  const name = schema._zod.def.discriminator
  const projects = new Map<unknown, Project>()
  for (const option of schema.options) {
    for (const value of option._zod.propValues?.[name] ?? []) projects.set(value, projector(option))
  }
  return (value) => {
    const kind = isRecord(value) ? value[name] : undefined
    const project = projects.get(kind)
    if (project === undefined) throw new Error(`No schema for ${name} ${String(kind)}`)
    return project(value)
  }
}

function unionProjector(schema: z.ZodUnion): Project {
  const options = schema.options.map((option) => ({ option, project: projector(option) }))
  if (options.every(({ project }) => project === asIs)) return asIs
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const match = options.find(({ option }) => z.safeParse(option, value).success)
    if (match === undefined) throw new Error('The response matches none of the schemas of its route')
    return match.project(value)
  }
}
