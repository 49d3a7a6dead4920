// Captures console.*, stdout and stderr as log lines.
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format } from 'node:util'
import type { LogLevel } from '../messages.ts'

/** Far more than is kept: the agent scrubs before it truncates. */
const maxLineChars = 64_000

export function captureConsole(onLine: (level: LogLevel, msg: string) => void): void {
  const log = (level: LogLevel, text: string) => onLine(level, text.slice(0, maxLineChars))
  const streamOf = (level: LogLevel) =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        const text = String(chunk).replace(/\n$/, '')
        if (text !== '') log(level, text)
        done()
      },
    })
  const stdout = streamOf('INFO')
  const stderr = streamOf('ERROR')
  const captured = new Console({ stdout, stderr, colorMode: false })
  const at =
    (level: LogLevel) =>
    (...values: unknown[]) =>
      log(level, format(...values))
  Object.assign(captured, {
    debug: at('DEBUG'),
    trace: at('DEBUG'),
    log: at('INFO'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  })
  globalThis.console = captured
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true })
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true })
}
