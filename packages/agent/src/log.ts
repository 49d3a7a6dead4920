// JSON lines on stderr, one per event.

type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFields = Record<string, unknown>

export type Log = Record<LogLevel, (fields: LogFields, event: string) => void>

const ranks = { DEBUG: 0, LOG: 1, INFO: 1, WARN: 2, ERROR: 3 } as const
const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const

export function createLog(
  level: keyof typeof ranks,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  const at = (name: LogLevel) => (fields: LogFields, event: string) => {
    if (levels[name] < ranks[level]) return
    const line = { level: name, time: new Date().toISOString(), pid: process.pid, ...fields, msg: event }
    write(`${JSON.stringify(line, (_key, value) => (value instanceof Error ? plainError(value) : value))}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function plainError(error: Error): LogFields {
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { name, message, code, stack, cause: cause instanceof Error ? plainError(cause) : cause }
}
