import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { errorCode } from '@vedette/safeguards/errors'
import { type LogFormat, logFormat, textOfRecord, withoutReserved } from '@vedette/safeguards/log-line'
import { type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

const stderr = 2

/** The log format of this process and of its agent: both write to the same stream. */
export function ownLogFormat(setting: LogFormat | undefined): LogFormat {
  return logFormat(setting, isatty(stderr))
}

/** Logs to stderr: stdout is for messages to people. */
export function createLog(level: string, format: LogFormat = 'json'): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError },
      formatters: { level: (label) => ({ level: label }), log: withoutReserved },
    },
    format === 'json' ? pino.destination({ dest: stderr, sync: true }) : textDestination(),
  )
}

function textDestination() {
  const hasColors = process.stderr.isTTY === true && process.stderr.hasColors()
  return {
    write(line: string) {
      writeSync(stderr, textOfRecord(JSON.parse(line), hasColors))
    },
  }
}

/** Drivers attach connections, statements and parameters to their errors, so only these fields are logged. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    code: errorCode(error),
    stack,
    cause: cause === undefined ? undefined : plainError(cause),
  }
}
