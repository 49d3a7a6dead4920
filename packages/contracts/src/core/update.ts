import { z } from 'zod'

/**
 * The body of a PUT that changes only the fields that are sent: every field is optional, without defaults.
 * Zod's `.partial()` keeps defaults, which would reset omitted fields.
 */
export function updateOf<I extends z.ZodObject>(create: I): z.ZodObject<UpdateShape<I['shape']>> {
  const fields: Record<string, z.ZodType> = create.shape
  const shape: Record<string, z.ZodOptional> = {}
  for (const [name, field] of Object.entries(fields)) shape[name] = withoutDefault(field).optional()
  return z.object(shape as UpdateShape<I['shape']>)
}

type Inner<T> = T extends z.ZodDefault<infer I> ? Inner<I> : T extends z.ZodOptional<infer I> ? Inner<I> : T

export type UpdateShape<S> = {
  [K in keyof S]: z.ZodOptional<Inner<S[K]> extends z.ZodType ? Inner<S[K]> : z.ZodType>
}

function withoutDefault(field: z.ZodType): z.ZodType {
  let inner = field
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault) {
    const { description } = inner
    const wrapped = inner.unwrap()
    if (!(wrapped instanceof z.ZodType)) break
    inner = wrapped
    if (description !== undefined && inner.description === undefined) inner = inner.describe(description)
  }
  return inner
}
