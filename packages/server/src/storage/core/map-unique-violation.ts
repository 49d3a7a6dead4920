import { ApiError } from '@vedette/contracts'
import { violatedUnique } from './db.ts'

/** A 409 that names the field whose value another row has. */
export function duplicateError(field: string): ApiError {
  return new ApiError('conflict', {
    message: `"${field}" is taken already.`,
    attributes: { [field]: 'is taken already' },
  })
}

/** Runs a change and turns a violation of one of these unique indexes into a 409. `fields`: field by index. */
export async function mapUniqueViolation<T>(
  fields: Record<string, string>,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const field = fields[violatedUnique(error) ?? '']
    throw field === undefined ? error : duplicateError(field)
  }
}
