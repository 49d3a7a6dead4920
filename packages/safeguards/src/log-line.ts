// Log records as text for people. Server and agent write the same records, so both use this.

export type LogFormat = 'text' | 'json'

/** Text on a terminal, JSON elsewhere, unless LOG_FORMAT says otherwise. */
export function logFormat(setting: LogFormat | undefined, isTerminal: boolean): LogFormat {
  return setting ?? (isTerminal ? 'text' : 'json')
}

/** Fields that every record has; a field of an event never replaces them. */
const reservedFields = ['level', 'time', 'pid', 'msg']

/** A field with the name of a reserved one gets an underscore: `level` becomes `_level`. */
export function withoutReserved(fields: Record<string, unknown>): Record<string, unknown> {
  if (!reservedFields.some((name) => Object.hasOwn(fields, name))) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [reservedFields.includes(name) ? `_${name}` : name, value]),
  )
}

/** Not shown in text: they identify processes and requests for machines. */
const hiddenFields = [...reservedFields, 'hostname', 'reqId', 'event', 'accountId', 'checkId', 'agentId', 'v']

const sentences: Record<string, string> = {
  'server.ready': 'The server is ready.',
  'server.stopping': 'Stopping.',
  'schema.migrated': 'The database schema was updated.',
  'agent.ready': 'The agent is ready.',
  'agent.draining': 'The agent is finishing its runs.',
  'agent.stopped': 'The agent has stopped.',
  'journal.replayed': 'Results of the last run are being delivered.',
  'server.lost': 'The server can’t be reached.',
  'server.reached': 'The server can be reached again.',
  'sandbox.level': 'Isolation of code runs is set up.',
  'sandbox.none': 'Code can’t run isolated on this machine, so code checks wait.',
  'runtime.installing': 'A runtime is being installed.',
  'runtime.installed': 'A runtime was installed.',
  'health.port-taken': 'The health port is taken, so this agent serves no health endpoints.',
  'notification.failed': 'A notification couldn’t be sent.',
  'loop.failed': 'A background job failed and will be tried again.',
  'request.failed': 'A request failed.',
  'database.died': 'The database process ended.',
  'database.restarted': 'The database runs again.',
  'database.connection-lost': 'A database connection was lost.',
  'built-in-agent.died': 'The built-in agent ended and will be started again.',
}

const colors: Record<string, string> = { warn: '33', error: '31', fatal: '31', debug: '90' }

/** 14:02:11 info  The server is ready.  address=http://localhost:3000 */
export function textOfRecord(record: Record<string, unknown>, hasColors: boolean): string {
  const level = String(record.level ?? 'info')
  const time = clockTime(record.time)
  const message = String(record.msg ?? '')
  const { err, ...fields } = record
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    hiddenFields.includes(name) || value === null || value === undefined ? [] : [`${name}=${textOf(value)}`],
  )
  const error: { message?: unknown; stack?: unknown } = typeof err === 'object' && err !== null ? err : {}
  if (error.message !== undefined) shown.unshift(String(error.message))
  const paint = (code: string | undefined, text: string) =>
    hasColors && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
  const head = `${paint('90', time)} ${paint(colors[level], level.padEnd(5))} ${oneLine(sentences[message] ?? message)}`
  const tail = shown.length === 0 ? '' : `  ${paint('90', oneLine(shown.join(' ')))}`
  // A stack trace belongs to a bug, and only the error level reports those.
  const stack = level === 'error' && typeof error.stack === 'string' ? stackLines(error.stack) : ''
  return `${head}${tail}${stack}\n`
}

/** In the time zone of the machine. */
function clockTime(time: unknown): string {
  const at = new Date(typeof time === 'string' || typeof time === 'number' ? time : Date.now())
  return at.toTimeString().slice(0, 8)
}

function textOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = Array.isArray(value)
    ? listText(value)
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

const maxListed = 8

function listText(values: readonly unknown[]): string {
  return values.length > maxListed ? `${values.length} items` : values.join(',')
}

/** Text of targets and users must not add lines or control the terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

function stackLines(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames
    .slice(0, 6)
    .map((line) => `\n         ${oneLine(line.trim())}`)
    .join('')
}
