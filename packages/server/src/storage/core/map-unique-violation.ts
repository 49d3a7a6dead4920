import { ApiError } from '@vedette/contracts'
import { violatedUnique } from './db.ts'

/** A 409 that names the field whose value belongs to someone else. */
export function duplicateError(field: string): ApiError {
  return new ApiError('conflict', {
    message: `"${field}" is taken already.`,
    attributes: { [field]: 'is taken already' },
  })
}

/** Runs a change and turns the unique indexes it may run into, each named with its field, into a 409. */
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
