/** PostgreSQL's code of an error, or that of the socket. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

const maxTries = 4

/** Runs a transaction again when PostgreSQL ended it because of a deadlock or a serialization conflict. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const code = sqlState(error)
      if ((code !== '40P01' && code !== '40001') || tries === maxTries) throw error
    }
  }
}
