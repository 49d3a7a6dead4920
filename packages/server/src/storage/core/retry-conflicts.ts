import { errorCode } from '@vedette/safeguards/errors'
import pg from 'pg'

const maxTries = 4

/** Retries a transaction that PostgreSQL aborted because of a deadlock, a serialization conflict or a concurrent insert. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const code = errorCode(error)
      if ((code !== '40P01' && code !== '40001' && !isConcurrentInsert(error)) || tries === maxTries)
        throw error
    }
  }
}

/** `on conflict` covers one unique index of error groups; a concurrent insert of the same group can violate the other. */
function isConcurrentInsert(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'error_groups_pkey'
}
