// Logs to stderr, one line per event: text or JSON, with the same fields as the server.
import { errorCode } from '@vedette/safeguards/errors'
import { type LogFormat, textOfRecord, withoutReserved } from '@vedette/safeguards/log-line'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFields = Record<string, unknown>

export type Log = Record<LogLevel, (fields: LogFields, event: string) => void>

const ranks = { DEBUG: 0, LOG: 1, INFO: 1, WARN: 2, ERROR: 3 } as const
const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const

export function createLog(
  level: keyof typeof ranks,
  write: (line: string) => void = (line) => process.stderr.write(line),
  format: LogFormat = 'json',
): Log {
  const hasColors = process.stderr.isTTY === true && process.stderr.hasColors()
  const at = (name: LogLevel) => (fields: LogFields, event: string) => {
    if (levels[name] < ranks[level]) return
    const time = new Date().toISOString()
    const record = { level: name, time, pid: process.pid, ...withoutReserved(fields), msg: event }
    const json = JSON.stringify(record, (_key, value) => (value instanceof Error ? plainError(value) : value))
    write(format === 'json' ? `${json}\n` : textOfRecord(JSON.parse(json), hasColors))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function plainError(error: Error): LogFields {
  const { name, message, stack, cause } = error
  const code = errorCode(error)
  return { name, message, code, stack, cause: cause instanceof Error ? plainError(cause) : cause }
}
