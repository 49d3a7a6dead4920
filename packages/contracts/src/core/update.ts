import { z } from 'zod'

/**
 * The body of a PUT that changes only what is sent: every field optional, and no default filled in.
 * Zod's `.partial()` keeps defaults, which would reset whatever a caller left out.
 */
export function updateOf<S extends z.core.$ZodLooseShape>(
  create: z.ZodObject<S>,
): z.ZodObject<UpdateShape<S>> {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(create.shape)) {
    shape[name] = withoutDefault(field as z.ZodType).optional()
  }
  return z.object(shape) as unknown as z.ZodObject<UpdateShape<S>>
}

type Bare<T> = T extends z.ZodDefault<infer I> ? Bare<I> : T extends z.ZodOptional<infer I> ? Bare<I> : T

export type UpdateShape<S> = {
  [K in keyof S]: z.ZodOptional<Bare<S[K]> extends z.ZodType ? Bare<S[K]> : z.ZodType>
}

function withoutDefault(field: z.ZodType): z.ZodType {
  let bare = field
  while (bare instanceof z.ZodDefault || bare instanceof z.ZodOptional || bare instanceof z.ZodPrefault) {
    const description = bare.description
    bare = bare.unwrap() as z.ZodType
    if (description !== undefined && bare.description === undefined) bare = bare.describe(description)
  }
  return bare
}
