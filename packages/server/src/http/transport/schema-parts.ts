// What the modules of this directory read from Zod schemas.
import { z } from 'zod'

export type Schema = z.core.$ZodType

export function fieldsOf(schema: z.ZodObject): [string, Schema][] {
  return Object.entries<Schema>(schema.shape)
}

/** Whether the object accepts fields beyond its shape. */
export function isLoose({ _zod }: z.ZodObject): boolean {
  const { catchall } = _zod.def
  return catchall !== undefined && !(catchall instanceof z.ZodNever)
}

/** The schema inside an optional, nullable, default or similar one. */
export function innerSchema({ _zod: { def } }: Schema): Schema | undefined {
  return 'innerType' in def && def.innerType instanceof z.core.$ZodType ? def.innerType : undefined
}
