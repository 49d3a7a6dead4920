import { errorCode } from '@vedette/safeguards/errors'

const maxTries = 4

/** Retries a transaction that PostgreSQL aborted because of a deadlock or a serialization conflict. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const code = errorCode(error)
      if ((code !== '40P01' && code !== '40001') || tries === maxTries) throw error
    }
  }
}
