// Strips an answer to its schema, so that a column never leaks. Compiled once per schema into plain functions:
// parsing each answer with Zod would cost more than the rest of the request.
import { z } from 'zod'

export type Project = (value: unknown) => unknown

const asIs: Project = (value) => value

/** Routes share most of their schemas. */
const compiled = new WeakMap<z.ZodType, Project>()

export function projector(schema: z.ZodType): Project {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const project = compile(schema)
  compiled.set(schema, project)
  return project
}

function compile(schema: z.ZodType): Project {
  if (schema instanceof z.ZodObject) return objectProjector(schema)
  if (schema instanceof z.ZodArray) {
    const item = projector(schema.element as z.ZodType)
    return item === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(item) : value)
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return discriminatedProjector(schema)
  if (schema instanceof z.ZodUnion) return unionProjector(schema)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return projector(schema.unwrap() as z.ZodType)
  }
  return asIs
}

function objectProjector(schema: z.ZodObject): Project {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    project: projector(field as z.ZodType),
  }))
  // A loose object says that anything may stand in it.
  const isLoose = schema._zod.def.catchall !== undefined && !(schema._zod.def.catchall instanceof z.ZodNever)
  if (isLoose) return asIs
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const source = value as Record<string, unknown>
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
  for (const option of schema.options as z.ZodObject[]) {
    const field = option.shape[name] as z.ZodType
    for (const value of field._zod.values ?? []) projects.set(value, projector(option))
  }
  return (value) => {
    const kind = (value as Record<string, unknown> | null)?.[name]
    const project = projects.get(kind)
    if (project === undefined) throw new Error(`No schema for ${name} ${String(kind)}`)
    return project(value)
  }
}

function unionProjector(schema: z.ZodUnion): Project {
  const options = (schema.options as z.ZodType[]).map((option) => ({ option, project: projector(option) }))
  if (options.every(({ project }) => project === asIs)) return asIs
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const match = options.find(({ option }) => option.safeParse(value).success)
    if (match === undefined) throw new Error('An answer fits none of the shapes it may have')
    return match.project(value)
  }
}
