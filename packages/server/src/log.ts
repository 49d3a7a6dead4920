import { type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** JSON lines on stderr: stdout belongs to what a person is told. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

/** Drivers hang connections, statements and parameters on their errors: only what explains it is written. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { name, message, code, stack, cause: cause === undefined ? undefined : plainError(cause) }
}
